#include "embed/home.h"

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "embed/host.h"

namespace lutra::embed {

// An address that only this thread has, and even.
uintptr_t Gate::self() {
  static thread_local uint64_t mark;
  return reinterpret_cast<uintptr_t>(&mark);
}

Gate::Entered Gate::enter() {
  const uintptr_t me = self();
  uintptr_t found = 0;
  while (!holder_.compare_exchange_weak(found, me)) {
    if (found == me) return Entered::Nested;
    if (found != 0 && (found & 1) == 0) return Entered::Elsewhere;
    if (found != 0) std::this_thread::yield();
    found = 0;
  }
  return Entered::Yes;
}

bool Gate::enter_to_free() {
  uintptr_t nobody = 0;
  return holder_.compare_exchange_strong(nobody, self() + 1);
}

#ifndef NDEBUG
void LiveMark::check(const char* what) const {
  if (mark_ == kLive) return;
  std::fprintf(stderr, "lutra: %s was freed before\n", what);
  std::abort();
}
#endif

Handle::Handle(Kind what, Home& where) : kind(what), home(&where) { where.retain(); }

Handle::~Handle() {
  lutra_t* owner = home->owner();
  if (ref != kNoRef && owner != nullptr) luaL_unref(owner->L, LUA_REGISTRYINDEX, ref);
  home->release();
}

void Handle::release() {
  live.check(kind == kTensor ? "this lutra_tensor" : "this lutra_object");
  if (refs.fetch_sub(1, std::memory_order_acq_rel) == 1) home->bury(this);
}

namespace {

void free_handle(Handle* handle) {
  if (handle->kind == Handle::kTensor) delete static_cast<lutra_tensor*>(handle);
  else delete static_cast<lutra_object*>(handle);
}

}  // namespace

void Home::bury(Handle* handle) {
  if (is_mine()) return free_handle(handle);
  retain();  // another thread may free the last handle as soon as it is in the list
  Handle* first = buried().load(std::memory_order_relaxed);
  do handle->next = first;
  while (!buried().compare_exchange_weak(first, handle));
  if (!is_attached_ || owner() == nullptr) free_if_idle();
  release();
}

void Home::free_buried() {
  Handle* handle = buried().exchange(nullptr);
  while (handle != nullptr) {
    Handle* next = handle->next;
    free_handle(handle);
    handle = next;
  }
}

void Home::free_if_idle() {
  retain();
  while (buried().load() != nullptr && (turns_ != nullptr ? turns_->enter_to_free() : gate.enter_to_free())) {
    free_buried();
    if (turns_ != nullptr) turns_->leave_after_freeing();
    else gate.leave();
  }
  release();
}

}  // namespace lutra::embed
