// What commands tell and change, and how values and errors look.
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "front.h"
#include "support/catch.h"

using namespace lutra;

TEST_CASE("the chunk of an expression has no local of the session's") {
  Front front;
  CHECK(front.run("(function() return debug.getlocal(2, 1) end)()").find("__lutra") == std::string::npos);
  front.run("(nil)()");
  CHECK(front.run(":locals").find("__lutra") == std::string::npos);
  CHECK(front.run("'__lutra'") == "__lutra\n");
}

TEST_CASE("a saved file goes on behind an entry with a return, and loads what the session loaded") {
  Front front;
  char folder[] = "/tmp/lutra-prompt-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const std::string path = std::string(folder) + "/saved.lua", other = std::string(folder) + "/other.lua";
  std::ofstream(other) << "loaded = (loaded or 0) + 1\n";
  std::string shown;
  for (const char* entry : {"return 3", "local a = 4 return a, 5;", "if true then return 6 end",
                            "f = function() return 7 end", "print(f())", "return f();"}) {
    shown += front.run(entry);
  }
  front.run(":load " + other);
  front.run(":save " + path);
  front.run("loaded = nil");
  CHECK(front.run(":load " + path) == shown);
  CHECK(front.run("loaded") == "1\n");
  std::filesystem::remove_all(folder);
}

TEST_CASE(":log tells what is so") {
  Front front;
  front.run("lt.debugging.set_log_device_placement(true)");
  CHECK(front.run(":log") == "the placement log is on\n");
  front.run(":log on");
  front.run("lt.debugging.set_log_device_placement(false)");
  CHECK(front.run(":log") == "the placement log is off\n");
  front.run(":log summary");
  CHECK(front.run(":log") == "the placement log is summary\n");
}

TEST_CASE("control characters of values and errors are shown escaped") {
  Front front;
  for (const char* entry :
       {"lt.Variable(lt.ones {1}, {name = 'n\\27[35mx'})", "{lt.Variable(lt.ones {1}, {name = 'n\\27[35mx'})}",
        "lt['\\27[2Jx']()", "error(setmetatable({}, {__tostring = function() return '\\27[2J' end}))", "'\\27[2J'",
        "setmetatable({}, {__tostring = function() return '\\27[2J' end})",
        "lt.nn.Sequential({lt.nn.Dense(1, {name = 'd\\27[2J', input_shape = {1}})}):summary()"}) {
    INFO(entry);
    const std::string shown = front.run(entry);
    CHECK(shown.find("\x1b") == std::string::npos);
    CHECK(shown.find("\\x1B[") != std::string::npos);
  }
  CHECK(front.run("'a\\tb\\nc'") == "a\tb\nc\n");
  CHECK(front.run("print '\\27[2J'") == "\x1b[2J\n");
}

TEST_CASE("the line of an error stands behind the whole message") {
  Front front;
  CHECK(front.run("error('multi\\nline')").find("error: stdin:1: multi\nline\n    error('multi\\nline')\n") == 0);
  char path[] = "/tmp/lutra-prompt-XXXXXX";
  REQUIRE(mkstemp(path) >= 0);
  std::ofstream(path) << "local a = 1\r\na.b.c = 2\r\n";
  const std::string shown = front.run(":load " + std::string(path));
  CHECK(shown.find("\n    a.b.c = 2\n    ^\n") != std::string::npos);
  std::filesystem::remove(path);
}

TEST_CASE(":device leaves a scope inside it alone and tells the truth") {
  Front front;
  front.run("lt.config.set_simulated_gpus(2)");
  front.run(":device GPU:0");
  front.run("d3 = lt.device('CPU:0')");
  CHECK(front.run(":device GPU:1").find("error: a scope of lt.device is open inside :device GPU:0; close it first") ==
        0);
  CHECK(front.run(":device off").find("error: a scope of lt.device") == 0);
  CHECK(front.run(":device") == "device CPU:0, by a scope of lt.device that is open inside :device GPU:0\n");
  front.run("d3:close()");
  CHECK(front.run(":device") == "device GPU:0\n");
  CHECK(front.run(":device GPU:1") == "");
  front.run(":device off");
  CHECK(front.run(":device") == "no device is set\n");
  front.run("d4 = lt.device('CPU:0')");
  CHECK(front.run(":device") == "device CPU:0, by a scope of lt.device that is open\n");
}

TEST_CASE(":time and :bench take a semicolon, and :time keeps locals") {
  Front front;
  CHECK(front.run(":time 1 + 1;").find("note: took ") == 0);
  CHECK(front.run(":bench 1 + 1;").find("median ") == 0);
  CHECK(front.run(":time local q = 5").find("note: took ") == 0);
  CHECK(front.run("q") == "5\n");
}

TEST_CASE("a trace ends with its session") {
  Front front;
  front.run(":trace on");
  CHECK(front.run("lt.profiler.is_running()") == "true\n");
  front.session.end();
  CHECK(front.run("lt.profiler.is_running()") == "false\n");
}

TEST_CASE("a table of many tables is cut as a whole") {
  Front front;
  front.run("t = {} for i = 1, 20 do t[i] = {} for j = 1, 20 do t[i][j] = {j} end end");
  const std::string shown = front.run("t");
  CHECK(shown.find("... and ") != std::string::npos);
  CHECK(shown.size() < 5000);
}
