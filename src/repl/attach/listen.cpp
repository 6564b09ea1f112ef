// lutra.repl.listen and the methods of the listener that it returns.

#include "lua/border/guard.h"
#include "lua/border/modules.h"
#include "repl/attach/listener.h"

namespace lutra {
namespace {

constexpr RegistryKey kMeta{};
constexpr RegistryKey kForHost{};
constexpr const char* kName = "lutra.repl.Listener";

struct ListenerBox {
  Listener* listener;  // null: closed
};

ListenerBox& box_at(Args& args, const char* method) {
  auto* box = static_cast<ListenerBox*>(luaL_testudata(args.L, 1, kName));
  require(box != nullptr, method, ": called on ", what_is(args.L, 1), ", expected a listener: write listener:", method,
          "()");
  return *box;
}

Listener& listener_at(Args& args, const char* method) {
  const ListenerBox& box = box_at(args, method);
  if (box.listener == nullptr) fail(ErrorCode::FailedPrecondition, method, ": the listener is closed");
  return *box.listener;
}

int listen_for_host(Args& args) {
  args.at_most(1);
  const std::string path(args.string(1, "path"));
  auto made = std::make_unique<Listener>(args.L, path);
  protect(args.L, 1, [&](lua_State* L) {
    auto* box = static_cast<ListenerBox*>(lua_newuserdatauv(L, sizeof(ListenerBox), 0));
    box->listener = nullptr;
    State::push(L, kMeta);
    lua_setmetatable(L, -2);
    box->listener = made.release();
    return 1;
  });
  return 1;
}

int open_listener(Args& args) {
  if (args.state.is_sandbox)
    fail(ErrorCode::FailedPrecondition, "listen: a script in a sandbox cannot open a prompt; its host can");
  return listen_for_host(args);
}

int poll(Args& args) {
  args.at_most(2);
  Listener& listener = listener_at(args, "poll");
  const double seconds = args.has(2) ? args.number(2, "seconds") : 0;
  require(seconds >= 0, "poll: seconds is ", seconds, ", expected 0 or more");
  bool is_interrupted = false;
  const int entries = listener.poll(args.L, seconds, &is_interrupted);
  if (is_interrupted) fail(ErrorCode::Cancelled, "interrupted!");
  lua_pushinteger(args.L, entries);
  return 1;
}

int is_attached(Args& args) {
  args.at_most(1);
  lua_pushboolean(args.L, listener_at(args, "is_attached").is_attached());
  return 1;
}

int close_listener(Args& args) {
  ListenerBox& box = box_at(args, "close");
  if (box.listener == nullptr) return 0;
  if (box.listener->is_busy())
    fail(ErrorCode::FailedPrecondition, "close: an entry cannot close the socket that it came by");
  box.listener->end_session();
  delete std::exchange(box.listener, nullptr);
  return 0;
}

// Not guarded: it also runs when the interpreter closes.
int collect(lua_State* L) {
  auto* box = static_cast<ListenerBox*>(lua_touserdata(L, 1));
  // os.exit(code, true) in an entry: the program ends without a return to what runs it.
  if (box->listener == nullptr || box->listener->is_busy()) return 0;
  box->listener->end_session();
  delete std::exchange(box->listener, nullptr);
  return 0;
}

int describe(lua_State* L) {
  auto* box = static_cast<ListenerBox*>(luaL_checkudata(L, 1, kName));
  if (box->listener == nullptr) lua_pushfstring(L, "%s(closed)", kName);
  else lua_pushfstring(L, "%s(%s)", kName, box->listener->path().c_str());
  return 1;
}

}  // namespace

bool push_listen_for_host(lua_State* L) {
  State::push(L, kForHost);
  if (lua_isnil(L, -1)) return false;
  lua_getfield(L, -1, "listen");
  lua_remove(L, -2);
  return true;
}

void open_listen(lua_State* L, State& state) {
  luaL_newmetatable(L, kName);
  constexpr luaL_Reg kFunctions[] = {{"__gc", collect}, {"__tostring", describe}, {nullptr, nullptr}};
  luaL_setfuncs(L, kFunctions, 0);
  set_function<close_listener>(L, state, "__close", "close");
  lua_newtable(L);
  set_function<poll>(L, state, "poll", "poll");
  set_function<is_attached>(L, state, "is_attached", "is_attached");
  set_function<close_listener>(L, state, "close", "close");
  lua_setfield(L, -2, "__index");
  State::set(L, kMeta);
  set_function<open_listener>(L, state, "listen", "repl.listen");
  lua_newtable(L);
  set_function<listen_for_host>(L, state, "listen", "repl.listen");
  State::set(L, kForHost);
}

}  // namespace lutra
