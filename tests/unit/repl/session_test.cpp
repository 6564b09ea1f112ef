// A session without a terminal, as a socket or a notebook uses it: what entries answer and what is complete.
#include "repl/session/session.h"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <lua.hpp>

#include "front.h"
#include "lua/border/interpreter.h"
#include "support/catch.h"

using namespace lutra;

TEST_CASE("locals persist, _ is the last value, a semicolon silences") {
  Front front;
  CHECK(front.run("local x = 5") == "");
  CHECK(front.run("x + 1") == "6\n");
  CHECK(front.run("_ * 2") == "12\n");
  CHECK(front.run("x + 100;") == "");
  CHECK(front.run("_") == "12\n");
  CHECK(front.run("x = 7") == "");
  CHECK(front.run("x, _G.x") == "7\tnil\n");
  CHECK(front.run("local function twice(n) return 2 * n end") == "");
  CHECK(front.run("= twice(x)") == "14\n");
  CHECK(front.run("do local inner = 1 end print(inner)") == "nil\n");
  CHECK(front.run("local print2 = nil; local _G2") == "");
  CHECK(front.run("local print = nil") == "");
  CHECK(front.run("print == nil") == "true\n");
}

TEST_CASE("constants persist and stay constant") {
  Front front;
  CHECK(front.run("local k <const>, s <const> = 3, 'three'") == "");
  CHECK(front.run("k, s") == "3\tthree\n");
  CHECK(front.run("k = 4").find("error: stdin:1: attempt to assign to const variable 'k'\n    k = 4\n    ^\n") == 0);
  CHECK(front.run("local k = 5") == "");
  CHECK(front.run("k = k + 1; print(k)") == "6\n");
}

TEST_CASE("locals of an entry that fails persist up to the error") {
  Front front;
  CHECK(front.run("local a = 1; local b = a + nil").find("error: stdin:1: attempt to perform arithmetic") == 0);
  CHECK(front.run("a, b") == "1\tnil\n");
}

TEST_CASE("a local that a goto skips has no value") {
  Front front;
  CHECK(front.run("do local a, b, c = {}, {}, {} end goto done; local x = 5; ::done::") == "");
  CHECK(front.run("x") == "nil\n");
  CHECK(front.run("for i = 1, 2 do goto continue ::continue:: end local y = 6") == "");
  CHECK(front.run("y") == "6\n");
  CHECK(front.run("local z = 7 if z > 5 then goto done end local w = 8 ::done::") == "");
  CHECK(front.run("z, w") == "7\tnil\n");
}

TEST_CASE("a file's name may stand in quotes") {
  Front front;
  char folder[] = "/tmp/lutra-session-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const std::string path = std::string(folder) + "/a file.lua";
  front.run("x = 5");
  CHECK(front.run(":save \"" + path + "\"") == "wrote 1 entries to " + path + "\n");
  CHECK(front.run("x = 6") == "");
  CHECK(front.run(":load '" + path + "'") == "");
  CHECK(front.run("x") == "5\n");
  std::filesystem::remove_all(folder);
}

TEST_CASE("without a terminal an entry means what it means to lua, also with a comment at its end") {
  Front front(false);
  CHECK(front.run("5; -- c") == "5\n");
  CHECK(front.run("'a' -- b;") == "a\n");
  CHECK(front.run("5;").find("error: ") == 0);
  CHECK(front.run("print = nil") == "");
  CHECK(front.run("1") == "error: error calling 'print' (attempt to call a nil value)\n");
}

TEST_CASE("a __tostring of _PROMPT can be interrupted, and is then not called again") {
  Interpreter interpreter{InterpreterOptions{}};
  static int calls;
  calls = 0;
  auto call = [](lua_State* L, int arguments, int results, int handler) {
    ++calls;
    return lua_pcall(L, arguments, results, handler);
  };
  auto show = [](void*, SessionHost::Text, std::string_view) {};
  Session session(interpreter.lua(), {.show = show, .call = call, .is_interactive = true});
  session.run("_PROMPT = 'plain> '");
  CHECK(calls == 1);
  CHECK(session.prompt(true) == "plain> ");
  CHECK(calls == 1);
  session.run("n = 0 _PROMPT = setmetatable({}, {__tostring = function() n = n + 1 error 'interrupted!' end})");
  CHECK(session.prompt(true) == "> ");
  CHECK(calls == 3);
  CHECK(session.prompt(true) == "> ");
  session.run("_PROMPT = nil assert(n == 1)");
  session.run("_PROMPT = 'n is ' .. n .. '> '");
  CHECK(session.prompt(true) == "n is 1> ");
}

TEST_CASE("a saved file does what the entries did") {
  Front front;
  char folder[] = "/tmp/lutra-session-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const std::string path = std::string(folder) + "/saved.lua";
  std::string shown;
  for (const char* entry : {"10", "_ + 1", "5;", "6; -- silent", "_ * 2", "3, 4", "_", "1 -- one ;", "print('a')",
                            "x = 7", "=x", "x; --[[ no ]]", "';'", "t = {_ = 8}", "t._"}) {
    shown += front.run(entry);
  }
  CHECK(shown == "10\n11\n22\n3\t4\n4\n1\na\n7\n;\n8\n");
  front.run(":save " + path);
  CHECK(front.run(":load " + path) == shown);
  std::filesystem::remove_all(folder);
}

TEST_CASE("what a session has set ends with it") {
  Front front;
  front.run(":log on");
  front.run(":device CPU:0");
  front.session.end();
  CHECK(front.run("lt.debugging.get_log_device_placement(), lt.ones({1}):sum():item()") == "false\t1.0\n");
}

TEST_CASE("an entry may run in another session's entry") {
  Front front;
  static std::string inner_shown;
  struct Inner {
    Session session;
    explicit Inner(lua_State* L)
        : session(L, {.user = nullptr,
                      .show = [](void*, SessionHost::Text, std::string_view text) { inner_shown += text; },
                      .is_interactive = true}) {}
  };
  lua_State* L = front.interpreter.lua();
  lua_State* coroutine = lua_newthread(L);
  static Inner* inner = nullptr;
  Inner made(coroutine);
  inner = &made;
  lua_pushcfunction(L, [](lua_State*) -> int {
    inner->session.run("local b = 2");
    inner->session.run("b.c.d");
    return 0;
  });
  lua_setglobal(L, "run_inner");
  CHECK(front.run("local a = 1 run_inner() local c = 3") == "");
  CHECK(front.run("a, b, c") == "1\tnil\t3\n");
  CHECK(inner_shown.find("stdin:1: attempt to index a number value") == 0);
  CHECK(front.run("local e = 4 run_inner() error 'outer'").find("error: stdin:1: outer") == 0);
  CHECK(front.run(":locals").find("e = 4") != std::string::npos);
  lua_pop(L, 1);
}

TEST_CASE("a front end gets results in several forms") {
  Interpreter interpreter{InterpreterOptions{}};
  static std::string bundles;
  bundles.clear();
  Session session(interpreter.lua(), {.user = nullptr,
                                      .show = [](void*, SessionHost::Text, std::string_view) {},
                                      .is_interactive = true,
                                      .display =
                                          [](void*, bool is_result, std::string_view bundle) {
                                            bundles += is_result ? "result " : "display ";
                                            bundles += bundle;
                                            bundles += "\n";
                                          }});
  session.run("1, 'a'");
  CHECK(bundles == "result {\"text/plain\":\"1\\ta\"}\n");
  bundles.clear();
  session.run("lt.constant {1, 2}");
  CHECK(bundles.find("\"text/html\":\"<table><tr><td") != std::string::npos);
  CHECK(bundles.find("dtype=int32, device=CPU:0") != std::string::npos);
  bundles.clear();
  session.run("lt.repl.display(lt.plot.line {1, 2}, 5)");
  CHECK(bundles.find("display {\"image/") == 0);
  CHECK(bundles.find("display {\"text/plain\":\"5\"}\n") != std::string::npos);
}

TEST_CASE("a cell may begin with commands") {
  Interpreter interpreter{InterpreterOptions{}};
  static std::string all;
  Session session(interpreter.lua(), {.user = nullptr,
                                      .show = [](void*, SessionHost::Text, std::string_view text) { all += text; },
                                      .is_interactive = true,
                                      .display = [](void*, bool, std::string_view bundle) { all += bundle; }});
  auto run = [&session](std::string_view cell) {
    all.clear();
    session.run(cell);
    return all;
  };
  CHECK(run(":locals\n\n:locals\nlocal x = 5\nx + 1") ==
        "locals are kept; there is no error to look atlocals are kept; there is no error to look at"
        "{\"text/plain\":\"6\"}");
  CHECK(run("?string.len\nx").find("string.len(s)\n  the bytes of a text{") == 0);
  CHECK(run(":locals\n\nerror 'here'").find("stdin:3: here\n    error 'here'") != std::string::npos);
  CHECK(run(":nothing\nx").find("there is no command :nothing") == 0);
  CHECK(run(":nothing\nx").find("text/plain") == std::string::npos);
  CHECK(run(":log loud\nx").find("text/plain") == std::string::npos);
  CHECK(run(":time do\n end").find("took ") == 0);
  CHECK(run("::a::\nx") == "{\"text/plain\":\"5\"}");
}

TEST_CASE("a close local ends with its entry, which is said once") {
  Front front;
  const std::string note =
      "note: note: a <close> local ends with its entry; "
      ":device NAME sets the device of the entries that follow\n";
  CHECK(front.run("local d <close> = lt.device 'CPU:0'") == note);
  CHECK(front.run("local d <close> = lt.device 'CPU:0'") == "");
  CHECK(front.run("d") == "nil\n");
}

TEST_CASE("with locals off, and without a user, entries mean what lua makes of them") {
  Front front;
  CHECK(front.run(":locals off") == "");
  CHECK(front.run("local x = 5") == "");
  CHECK(front.run("x") == "nil\n");
  Front plain(false);
  CHECK(plain.run("local x = 5") == "");
  CHECK(plain.run("x") == "nil\n");
  CHECK(plain.run(":who").find("error: stdin:1: unexpected symbol near ':'") == 0);
  CHECK(plain.run("{}").substr(0, 6) == "table:");
  CHECK(plain.run("1;").find("error:") == 0);
}

TEST_CASE("an entry is complete where lua would not read on") {
  Front front;
  for (const char* text :
       {"", "x", "x =", "for = 1", "print(1)", "f{", "do", "'abc", "1 +", "x = 1 +\n2", ":time (", "?("}) {
    const std::string_view view = text;
    const bool goes_on = view == "f{" || view == "do" || view == "'abc" || view == "1 +" || view == "x =";
    INFO(text);
    CHECK(front.session.is_complete(text) == !goes_on);
  }
}

TEST_CASE("a table that is raised is listed") {
  Front front;
  CHECK(front.run("error {code = 5, 'why'}").find("error: (error object is a table value: { \"why\", code = 5 })\n") ==
        0);
  CHECK(front.run("error(setmetatable({}, {__tostring = function() return 'mine' end}))") == "error: mine\n");
  CHECK(front.run("error()").find("error: (error object is a nil value)\n") == 0);
}

TEST_CASE("an error is marked at its column, also behind wide characters") {
  Front front;
  CHECK(front.run("local s = 'caf\xc3\xa9' .. nothing.x").find("nothing.x\n                        ^\n") !=
        std::string::npos);
  CHECK(front.run("local s = '\xe6\x97\xa5\xe6\x9c\xac' .. nothing.x").find("nothing.x\n                        ^\n") !=
        std::string::npos);
}

TEST_CASE("the session survives hostile entries") {
  Front front;
  for (const char* entry : {"error()",
                            "error(nil)",
                            "error(setmetatable({}, {__tostring = function() error 'x' end}))",
                            "setmetatable({}, {__tostring = function() return 1 end})",
                            "string.rep('x', 1 << 40)",
                            "function r() return 1 + r() end r()",
                            "\x1bLua",
                            "\x1b[A",
                            "\0\0",
                            "goto x",
                            "::a::",
                            "setmetatable({}, {__gc = function() error 'gc' end}) collectgarbage()",
                            "debug.sethook(error, 'r')",
                            "debug.sethook()",
                            "coroutine.yield(1)",
                            "_ENV = nil; x = 1",
                            ":",
                            "?",
                            ":time",
                            ":time error()",
                            ":load /",
                            ":save /nowhere/x",
                            ":device nowhere",
                            "print = nil",
                            "1",
                            "tostring = nil"}) {
    INFO(entry);
    front.run(entry);
  }
  CHECK(front.session.run("local alive = 1") == Session::Outcome::Ok);
  CHECK(front.words("ali|") == "alive");
  CHECK(front.session.run("exit") == Session::Outcome::Quit);
}
