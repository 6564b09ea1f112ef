#include "lua/border/state.h"

#include <sys/random.h>

#include <cstring>

#include "hosts/launch.h"
#include "lua/border/limits.h"

namespace lutra {
namespace {

constexpr RegistryKey kStateKey{};

uintptr_t random_secret() {
  uintptr_t secret = 0;
  if (getrandom(&secret, sizeof secret, GRND_NONBLOCK) != sizeof secret) secret = reinterpret_cast<uintptr_t>(&secret);
  return secret | 1;
}

}  // namespace

const uintptr_t Box::secret_ = random_secret();

State::State(lua_State* main, std::shared_ptr<Runtime> shared)
    : main_(main),
      runtime_(shared != nullptr ? shared : std::make_shared<Runtime>()),
      context_(std::make_unique<Context>(*runtime_)),
      scopes_(*context_),
      shares_runtime_(shared != nullptr) {
  no_memory();  // constructs it while there is memory
  // Before the first op, which gives the devices their names.
  if (const auto launch = find_launch(); launch && !runtime_->is_initialised()) {
    runtime_->registry().set_task("worker", launch->rank);
  }
  context_->hooks.user = this;
  context_->hooks.collect = [](void* user) {
    State* state = static_cast<State*>(user);
    // Not possible inside a finalizer, and not wanted if the script has stopped the collector.
    lua_State* L = state->current();
    if (lua_gc(L, LUA_GCISRUNNING) != 1) return false;
    lua_gc(L, LUA_GCCOLLECT);
    state->runtime_->returned_tensors().drop_all();
    state->enter(L);  // a finalizer may have run ops in a coroutine of its own
    return true;
  };
  context_->hooks.in_finalizer = [](void* user) {
    State* state = static_cast<State*>(user);
    return state->is_recording_collector && lua_gc(state->current(), LUA_GCISRUNNING) != 1;
  };
  context_->hooks.line = [](void* user) {
    lua_Debug frame;
    return static_cast<State*>(user)->find_line(&frame) ? text(frame.short_src, ":", frame.currentline) : std::string();
  };
  context_->hooks.position = [](void* user, ScriptPosition* position) {
    lua_Debug frame;
    if (!static_cast<State*>(user)->find_line(&frame)) return;
    static_assert(sizeof frame.short_src <= sizeof position->file);
    std::memcpy(position->file, frame.short_src, sizeof frame.short_src);
    position->line = frame.currentline;
  };
}

State::~State() = default;

StateOwned::StateOwned(State& state) : link_(&state.owned_), next_(state.owned_) {
  if (next_ != nullptr) next_->link_ = &next_;
  *link_ = this;
}

StateOwned::~StateOwned() {
  *link_ = next_;
  if (next_ != nullptr) next_->link_ = link_;
}

// A coroutine of Lutra's own, such as a replica's, has no line of the script: then the main program's counts.
bool State::find_line(lua_Debug* frame) const {
  lua_State* L = current();
  return find_script_frame(L, frame) || (L != main_ && find_script_frame(main_, frame));
}

void State::close() {
  closed_ = true;
  while (owned_ != nullptr) delete owned_;
  scopes_.close();
  pending_.clear();
  aside_.clear();
  telling_.clear();
  books_.close();
  context_->hooks = {};
  allowed_paths.reset();  // nothing opens a file any more, and ~State is not called
  // If some tensors are finalized after this, they release their storage to the Runtime, which must then stay alive.
  if (books_.count() == 0) drop_runtime();
}

void State::drop_runtime() {
  context_.reset();
  if (!shares_runtime_) runtime_->returned_tensors().close();
  runtime_.reset();
}

State* State::find(lua_State* L) {
  push(L, kStateKey);
  State* state = static_cast<State*>(lua_touserdata(L, -1));
  lua_pop(L, 1);
  return state;
}

void State::adopt(lua_State* L) { set(L, kStateKey); }

Box* State::push_box(lua_State* L, bool is_inline) {
  if (!is_inline) make_room(L);
  Box* box = static_cast<Box*>(lua_newuserdatauv(L, sizeof(Box), 0));
  box->cookie = box->live_cookie();
  box->tensor.clear();
  box->booked_bytes = Box::kNotBooked;
  push(L, is_inline ? kTensorMeta : kStoredTensorMeta);
  lua_setmetatable(L, -2);
  return box;
}

void State::own_stored(lua_State* L, Box* box) {
  books_.add(L, box);
  if (tidies.any()) [[unlikely]]
    tidies.note(L, box);
}

// Garbage does not count.
void State::refuse_tensors(lua_State* L) {
  lua_gc(L, LUA_GCCOLLECT);
  if (books_.has_too_many() && limits != nullptr) limits->pass(Limits::Kind::Tensors);
}

void State::own_variable(lua_State* L, Box* box) {
  box->booked_bytes = Box::kNotBooked;
  rebook_variable(L, box);
}

void State::rebook_variable(lua_State* L, Box* box) {
  bool has_storage = box->tensor.storage != nullptr, is_booked = box->booked_bytes != Box::kNotBooked;
  if (has_storage && !is_booked) books_.add(L, box);
  if (is_booked && !has_storage) books_.lost_storage(box);
}

void State::disown(Box* box) {
  if (box->tensor.storage == nullptr) return;
  books_.remove(box);
  if (closed_ && books_.count() == 0) drop_runtime();
}

void State::release(Box* box) {
  box->cookie = ~box->live_cookie();
  if (!closed_) ++runtime_->epoch;
  disown(box);
  box->tensor.size = kReleasedSize;
}

}  // namespace lutra
