#include "lua/state.h"

#include "lua/modules.h"

#include <sys/random.h>
#include <time.h>

#include <algorithm>

namespace lutra {
namespace {

const char kStateKey = 0;

uintptr_t random_secret() {
  uintptr_t secret = 0;
  if (getrandom(&secret, sizeof secret, GRND_NONBLOCK) != sizeof secret) secret = reinterpret_cast<uintptr_t>(&secret);
  return secret | 1;
}

int64_t now_us() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000000 + now.tv_nsec / 1000;
}

}  // namespace

const uintptr_t Box::secret_ = random_secret();

State::State(lua_State* main) : main_(main), runtime_(std::make_unique<Runtime>()) {
  context_ = std::make_unique<Context>(*runtime_);
  context_->hooks.user = this;
  context_->hooks.collect = [](void* user) {
    State* state = static_cast<State*>(user);
    // Not possible inside a finalizer, nor wanted where the script has stopped the collector.
    lua_State* L = state->running_ != nullptr ? state->running_ : state->main_;
    if (lua_gc(L, LUA_GCISRUNNING) != 1) return false;
    lua_gc(L, LUA_GCCOLLECT);
    state->enter(L);  // a finalizer may have run ops in a coroutine of its own
    return true;
  };
  context_->hooks.line = [](void* user) {
    State* state = static_cast<State*>(user);
    return script_line(state->running_ != nullptr ? state->running_ : state->main_);
  };
}

State::~State() = default;

void State::close() {
  closed_ = true;
  scopes_ = nullptr;
  running_ = nullptr;
  context_->scopes = &context_->main_scopes();
  all_scopes_.clear();
  pending_.clear();
  aside_.clear();
  telling_.clear();
  for (Box* box : made_in_finalizers_) drop(box->tensor);
  stored_boxes_ -= static_cast<int64_t>(made_in_finalizers_.size());
  std::unordered_set<Box*>().swap(made_in_finalizers_);  // Lua frees the State without its destructor
  // Tensors finalized after this would give their storage back to a Runtime that is gone: then it must stay.
  if (stored_boxes_ > 0) {
    context_->hooks = {};
    return;
  }
  context_.reset();
  runtime_.reset();
}

State* State::find(lua_State* L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &kStateKey);
  State* state = nullptr;
  if (lua_type(L, -1) == LUA_TTABLE) {
    lua_rawgeti(L, -1, 0);
    state = static_cast<State*>(lua_touserdata(L, -1));
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return state;
}

void State::push(lua_State* L, Slot slot) const {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &kStateKey);
  lua_rawgeti(L, -1, slot);
  lua_replace(L, -2);
}

void State::set(lua_State* L, Slot slot) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &kStateKey) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &kStateKey);
    lua_pushlightuserdata(L, this);
    lua_rawseti(L, -2, 0);
  }
  lua_insert(L, -2);
  lua_rawseti(L, -2, slot);
  lua_pop(L, 1);
}

// The scopes of a coroutine are found by the coroutine itself, in a table with weak keys; the handle there holds a
// pointer.
void State::switch_to(lua_State* L) {
  push(L, kThreadScopes);
  lua_pushthread(L);
  lua_rawget(L, -2);
  auto* handle = static_cast<CoroutineScopes**>(lua_touserdata(L, -1));
  scopes_ = handle != nullptr ? *handle : nullptr;
  // Nobody pushes to the Context's own scopes: they stand for "no scope".
  context_->scopes = scopes_ != nullptr ? &scopes_->stack : &context_->main_scopes();
  lua_pop(L, 2);
  running_ = L;
}

void State::make_scopes(lua_State* L) {
  enter(L);
  if (scopes_ != nullptr) return;
  auto* handle = static_cast<CoroutineScopes**>(lua_newuserdatauv(L, sizeof(CoroutineScopes*), 0));
  *handle = nullptr;
  push(L, kScopesMeta);
  lua_setmetatable(L, -2);
  push(L, kThreadScopes);
  lua_pushthread(L);
  lua_pushvalue(L, -3);
  lua_rawset(L, -3);
  lua_pop(L, 2);
  all_scopes_.push_front({{}, 1, {}});
  *handle = &all_scopes_.front();
  (*handle)->place = all_scopes_.begin();
  switch_to(L);
}

void State::open_scope(uint32_t spec, CoroutineScopes** scopes, uint64_t* serial) {
  *serial = scopes_->stack.push(spec);
  *scopes = scopes_;
  ++scopes_->uses;
}

void State::forget_names() {
  std::vector<uint32_t> in_use;
  auto note = [&](uint32_t id) { in_use.push_back(id); };
  context_->main_scopes().for_each_spec(note);
  for (const CoroutineScopes& scopes : all_scopes_) scopes.stack.for_each_spec(note);
  context_->forget_specs(in_use);
  device_names = 0;
}

void State::release_scopes(CoroutineScopes* scopes) {
  if (--scopes->uses > 0) return;
  if (scopes_ == scopes) {
    scopes_ = nullptr;
    context_->scopes = &context_->main_scopes();
    running_ = nullptr;
  }
  all_scopes_.erase(scopes->place);
}

Box* State::push_box(lua_State* L, bool is_inline) {
  Box* box = static_cast<Box*>(lua_newuserdatauv(L, sizeof(Box), 0));
  box->cookie = box->live_cookie();
  box->tensor.clear();
  push(L, is_inline ? kTensorMeta : kStoredTensorMeta);
  lua_setmetatable(L, -2);
  return box;
}

void State::own_stored(lua_State* L, Box* box) {
  ++stored_boxes_;
  Storage& storage = *box->tensor.storage;
  if (storage.tensor == nullptr) storage.tensor = &box->tensor;
  // While the interpreter closes, Lua calls the finalizers there are but none of what they make.
  if (lua_gc(L, LUA_GCISRUNNING) < 0) [[unlikely]]
    made_in_finalizers_.insert(box);
  owned_bytes_ += static_cast<int64_t>(box->tensor.nbytes());
  if (tidies != nullptr) [[unlikely]]
    note_made(L, box);
  if (owned_bytes_ - owned_at_collection_ > budget_bytes_) [[unlikely]]
    collect(L);
}

// Note [Tidies and coroutines]
// A tidy frees what is made while its function runs. While that function is suspended by a yield, or dead by an error,
// others run, and what they make is theirs; a coroutine that has resumed another still runs in this sense. So a tensor
// belongs to the innermost tidy of its own coroutine, else to the innermost whose coroutine is neither suspended nor
// dead.
TidyMark* State::tidy_of(lua_State* L) const {
  for (TidyMark* mark = tidies; mark != nullptr; mark = mark->outer) {
    if (mark->thread == L) return mark;
  }
  for (TidyMark* mark = tidies; mark != nullptr; mark = mark->outer) {
    if (lua_status(mark->thread) == LUA_OK) return mark;
  }
  return nullptr;
}

void State::add_to_tidy(lua_State* L, TidyMark* mark) {
  push(L, kTidyMade);
  lua_rawgetp(L, -1, mark);
  lua_pushvalue(L, -3);
  lua_pushboolean(L, 1);
  lua_rawset(L, -3);
  lua_pop(L, 2);
}

// The box is on the stack, since it was made just now.
void State::note_made(lua_State* L, const Box* box) {
  TidyMark* mark = tidy_of(L);
  for (int i = lua_gettop(L); mark != nullptr && i > 0; --i) {
    if (lua_touserdata(L, i) != box) continue;
    lua_pushvalue(L, i);
    add_to_tidy(L, mark);
    lua_pop(L, 1);
    return;
  }
}

// A collection whenever live tensor bytes have grown by a budget that follows the measured pause, so
// that it costs at most some 3% of the time at 10 GB/s of results, and small heaps recycle while blocks are in cache.
void State::collect(lua_State* L) {
  if (lua_gc(L, LUA_GCISRUNNING) != 1) return;
  int64_t begin = now_us();
  lua_gc(L, LUA_GCCOLLECT);
  int64_t pause_us = now_us() - begin;
  int64_t live = std::max<int64_t>(0, owned_bytes_);
  int64_t most = std::max<int64_t>(int64_t{64} << 20, live / 2);
  budget_bytes_ = std::clamp<int64_t>(pause_us * 330000, int64_t{8} << 20, most);
  owned_at_collection_ = owned_bytes_;
}

void State::disown(Box* box) {
  if (box->tensor.storage == nullptr) return;
  if (box->tensor.storage->tensor == &box->tensor) box->tensor.storage->tensor = nullptr;
  owned_bytes_ -= static_cast<int64_t>(box->tensor.nbytes());
  owned_at_collection_ = std::min(owned_at_collection_, owned_bytes_);
  --stored_boxes_;
  if (!made_in_finalizers_.empty()) [[unlikely]]
    made_in_finalizers_.erase(box);
  drop(box->tensor);
  if (closed_ && stored_boxes_ == 0) {
    context_.reset();
    runtime_.reset();
  }
}

void State::release(Box* box) {
  box->cookie = ~box->live_cookie();
  if (!closed_) ++runtime_->epoch;
  disown(box);
  box->tensor.size = -1;
}

void State::tell_events(lua_State* L, const Error* kept) {
  luaL_checkstack(L, 12, nullptr);
  // Set aside: making Lua values of them may run finalizers, whose ops have events of their own.
  telling_.push_back(std::move(context_->placement_log().events));
  context_->placement_log().events.clear();
  auto batch = std::prev(telling_.end());
  const std::vector<PlacementEvent>& events = *batch;
  push(L, kLogHandler);
  int handler = lua_gettop(L);
  int table = handler + 1;
  lua_createtable(L, static_cast<int>(events.size()), 0);
  // All of them become Lua values first: a handler may run ops of its own, whose events come after.
  int count = 0;
  auto string = [L](const char* key, const std::string& value) {
    lua_pushlstring(L, value.data(), value.size());
    lua_setfield(L, -2, key);
  };
  for (const PlacementEvent& event : events) {
    lua_createtable(L, 0, 6);
    string("op", event.op);
    string("device", event.device);
    string("requested", event.requested);
    string("reason", event.reason);
    string("line", event.line);
    push_copies(L, *this, event.copies);
    lua_setfield(L, -2, "copies");
    lua_rawseti(L, table, ++count);
  }
  telling_.erase(batch);
  for (int i = 1; i <= count; ++i) {
    lua_pushvalue(L, handler);
    lua_rawgeti(L, table, i);
    if (lua_pcall(L, 1, 0, 0) == LUA_OK) continue;
    // The handler is removed, and its error is raised now; the op's effect stands.
    context_->placement_log().set_handler(false);
    lua_pushnil(L);
    set(L, kLogHandler);
    aside_.remove_if([kept](const Error& each) { return &each == kept; });
    lua_error(L);
  }
  lua_settop(L, handler - 1);
}

}  // namespace lutra
