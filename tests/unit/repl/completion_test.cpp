// What completes, signatures and what `?` says of a name.
#include <sstream>

#include "front.h"
#include "support/catch.h"

using namespace lutra;

TEST_CASE("completion") {
  Front front;
  front.run("local weights, wide = lt.ones {2}, {alpha = 1, beta = print, ['no name'] = 2}");
  front.run("v = lt.Variable {1, 2}");
  SECTION("names") {
    CHECK(front.words("we|") == "weights");
    CHECK(front.completed("x = wei| + 1") == "x = weights + 1");
    CHECK(has(front.words("|"), "print"));
    CHECK(has(front.words("whi|"), "while"));
    CHECK(front.words("x = 12|") == "");
  }
  SECTION("fields after a point, methods after a colon") {
    CHECK(front.words("wide.|") == "alpha beta");
    CHECK(front.words("wide:|") == "beta");
    CHECK(has(front.words("weights.|"), "shape"));
    CHECK_FALSE(has(front.words("weights.|"), "matmul"));
    CHECK_FALSE(has(front.words("weights:|"), "shape"));
    CHECK(front.words("weights:matm|") == "matmul");
    CHECK(has(front.words("v:|"), "assign_sub"));
    CHECK(front.words("v.train|") == "trainable");
    CHECK(front.words("lt.nn.Dens|") == "Dense");
    CHECK(front.words("lt.config.get_mem|") == "get_memory_growth get_memory_info");
    CHECK(front.words("string.re|") == "rep reverse");
  }
  SECTION("what a call gives, if that is known without calling") {
    CHECK(front.words("weights:sum():ite|") == "item");
    CHECK(front.words("lt.matmul(weights, {1, 2}):resh|") == "reshape");
    CHECK(front.words("lt.random.normal {2}:resh|") == "reshape");
    CHECK(front.words("(weights:exp()):lo| + 1").find("log") == 0);
    CHECK(front.words("weights:sum(), 1 + weights:mean(1):sha|") == "");
    CHECK(front.words("weights:mean(1).sha|") == "shape");
    CHECK(front.words("weights:sum():item():|") == "");
    CHECK(front.words("('x'):upp|") == "upper");
    CHECK(front.words("'x':upp|") == "upper");
    CHECK(front.words("('x'):rep(3):low|") == "lower");
    CHECK(front.words("string.format('%d', 1):low|") == "lower");
    CHECK(front.words("string.find('x', 'x'):|") == "");
    CHECK(front.words("wide.beta():|") == "");
    CHECK(front.words("nothing():|") == "");
    CHECK(front.words("f(g(|):x") != "");
  }
  SECTION("what an expression gives, if that is known without computing it") {
    CHECK(front.words("(weights):matm|") == "matmul");
    CHECK(front.words("(weights * 2 + 1):matm|") == "matmul");
    CHECK(front.words("(1 - weights / {1, 2}):matm|") == "matmul");
    CHECK(front.words("(-weights):matm|") == "matmul");
    CHECK(front.words("(2 * (weights:sum() + 1)):matm|") == "matmul");
    CHECK(front.words("weights[1]:matm|") == "matmul");
    CHECK(front.words("weights[{1}]:exp():matm|") == "matmul");
    CHECK(front.words("lt.ones {2}[1]:matm|") == "matmul");
    front.run("list = {{weights}, named = {deep = weights}}");
    CHECK(front.words("list[1][1]:matm|") == "matmul");
    CHECK(front.words("list.named['deep']:matm|") == "matmul");
    CHECK(front.words("list['named'].de|") == "deep");
    CHECK(front.words("list[2]:|") == "");
    CHECK(front.words("list[#list]:|") == "");
    CHECK(front.words("(weights == weights):|") == "");
    CHECK(front.words("(1 + 2):|") == "");
    CHECK(front.words("(weights, wide):|") == "");
    CHECK(front.words("(not weights):|") == "");
    CHECK(front.words("(wide).al|") == "alpha");
  }
  SECTION("variables of the same entry") {
    CHECK(front.words("local fresh = 1; fre|") == "fresh");
    CHECK(front.words("local fresh, fried <const> = f()\nfr|") == "fresh fried");
    CHECK(front.words("first_one, fresh_one = 1, 2; fresh|") == "fresh_one");
    CHECK(front.words("local x = lt.ones {2}\nx:matm|") == "matmul");
    CHECK(front.words("local x = weights + 1 local y = 2 x:matm|") == "matmul");
    CHECK(front.words("x = weights; y = x * 2; x = 1; y:matm|") == "");
    CHECK(front.words("x = weights; x = x * 2; x:matm|") == "matmul");
    CHECK(front.words("x = 'text'; x:upp|") == "upper");
    CHECK(front.words("l = lt; l.matm|") == "matmul");
    // The name still has its old meaning in its own definition.
    CHECK(front.words("local weights = weights:matm|") == "matmul");
    CHECK(front.words("local fresh = fres|") == "");
    // Another meaning hides that of the session, in its block.
    CHECK(front.words("local weights = 1; weights:|") == "");
    CHECK(front.words("for weights = 1, 3 do weights:|") == "");
    CHECK(front.words("for weights = 1, 3 do end weights:matm|") == "matmul");
    CHECK(front.words("local function f(weights, inner) weights:|") == "");
    CHECK(front.words("local function f(weights, inner) inn|") == "inner");
    CHECK(front.words("function long_name(a) end lon|") == "long_name");
    CHECK(front.words("do local inner = 1 end inn|") == "");
    CHECK(front.words("while wide do local inner = 1 inn|") == "inner");
    CHECK(front.words("if wide then local inner = 1 else inn|") == "");
    CHECK(front.words("f {inner = 1} inn|") == "");
    CHECK(front.words("wide.inner = 1 inn|") == "");
    CHECK(front.words("f(function() inner = 1 end) inn|") == "inner");
    CHECK(front.words("f(function(inner) inn|") == "inner");
    CHECK(front.signature("local x = weights:exp(); x:sum(|").find("lutra.sum(") == 0);
    CHECK(front.signature("x = lt.ones {2}; (x + 1):sum(|").find("lutra.sum(") == 0);
    // The session does not keep them.
    CHECK(front.words("fres|") == "");
    std::string chain = "x = {}; ";
    for (int i = 0; i < 200; ++i) chain += "x = x + x; ";
    CHECK(front.words(chain + "x:|") == "");
  }
  SECTION("questions may leave out lt") {
    CHECK(has(front.words("?matm|"), "matmul"));
    CHECK(front.words("?nn.Dens|") == "Dense");
    CHECK(front.words("?lt.nn.Dens|") == "Dense");
    CHECK(front.words("matm|") == "");
    CHECK(front.words("string.rep|") == "rep");
  }
  SECTION("option keys") {
    CHECK(front.words("lt.random.normal({2}, {std|") == "stddev = ");
    CHECK(has(front.words("lt.sum(weights, {|"), "keepdims"));
    CHECK(has(front.words("lt.sum(weights, {|"), "axis"));
    CHECK(!has(front.words("lt.matmul(weights, weights, {|"), "axis"));
    CHECK(has(front.words("weights:sum {|"), "keepdims"));
    CHECK(has(front.words("lt.config.set_simulated_gpus(2, {gflops = 1, |"), "memory_limit"));
    CHECK(front.words("lt.random.normal({2}, {seed = we|") == "weights");
  }
  SECTION("strings") {
    CHECK(has(front.words("require 'lut|"), "lutra"));
    CHECK(has(front.words("lt.device('CP|"), "CPU:0"));
    CHECK(has(front.words("weights:to \"/de|"), "/device:CPU:0"));
    CHECK(has(front.words("io.open('src/repl/se|"), "src/repl/session/"));
    CHECK(front.words("wide['|") == "alpha beta no name");
    CHECK(front.completed("wide[\"no| + 1") == "wide[\"no name + 1");
  }
  SECTION("commands") {
    CHECK(front.words(":dev|") == "device devices");
    CHECK(front.words(":log s|") == "summary");
    CHECK(front.words(":time weights:matm|") == "matmul");
  }
  SECTION("no code of the user runs") {
    front.run(
        "ran = 0; trap = setmetatable({inside = setmetatable({}, {__index = function() ran = ran + 1 end})}, "
        "{__index = function() ran = ran + 1 end, __pairs = function() ran = ran + 1 end, __len = function() ran = ran "
        "+ 1 end})");
    CHECK(front.words("trap.|") == "inside");
    CHECK(front.words("trap.other.|") == "");
    CHECK(front.words("trap.inside:|") == "");
    front.session.signature("trap.other(", 11);
    front.session.inspect("trap.other", 10);
    CHECK(front.run("ran") == "0\n");
  }
}

TEST_CASE("all options that the annotations name are known") {
  Front front;
  front.run("local t, p = lt.ones {2}, lt.plot.line {1, 2}");
  auto options = [&](const std::string& call) {
    const std::string signature = front.signature(call + "(|");
    const std::size_t at = signature.find("  options: ");
    return at == std::string::npos ? "" : signature.substr(at + 11);
  };
  const std::string plots = "ascii, color, file, height, title, width, xlabel, ylabel";
  for (const char* call :
       {"lt.plot.line", "lt.plot.scatter", "lt.plot.bar", "lt.plot.heat", "lt.plot.image", "t:plot"}) {
    INFO(call);
    CHECK(options(call) == plots);
  }
  CHECK(options("lt.plot.hist") == "ascii, bins, color, file, height, title, width, xlabel, ylabel");
  CHECK(options("p:save") == "height, width");
  CHECK(options("lt.nn.Dropout") == "input_shape, name, seed");
  CHECK(options("lt.nn.Flatten") == "data_format, input_shape, name");
  CHECK(options("lt.nn.TextVectorization") ==
        "idf_weights, max_tokens, ngrams, output_mode, output_sequence_length, split, standardize, vocabulary");
  CHECK(options("lt.nn.LSTMCell").find("recurrent_constraint, recurrent_initializer") != std::string::npos);
  CHECK(options("lt.data.map") == "num_parallel_calls");
  CHECK(options("lt.nn.Discretization") == "bin_boundaries, input_shape, name, num_bins, output_mode");
  CHECK(options("lt.vander") == "increasing, n");
  CHECK(options("lt.nn.initializers.RandomNormal") == "mean, seed, stddev");
  CHECK(options("lt.config.set_simulated_gpus") == "fail_at, gbps, gflops, link_gbps, link_latency_us, memory_limit");
  CHECK(has(front.words("lt.plot.line(t, {ti|"), "title"));
}

TEST_CASE("the signature of the call that the cursor is in") {
  Front front;
  front.run("local function add(a, b, ...) end");
  front.run("local t = lt.ones {2}");
  CHECK(front.signature("lt.matmul(|").find("lutra.matmul(") == 0);
  CHECK(front.signature("print(t:sum(1, |").find("lutra.sum(x, [axis], [options])  options: keepdims") == 0);
  CHECK(front.signature("add(1, |") == "add(a, b, ...)");
  CHECK(front.signature("lt.config.set_simulated_gpus(1, {|").find("memory_limit") != std::string::npos);
  CHECK(front.signature("x = 1|") == "");
  CHECK(front.signature("string.rep(|") == "string.rep(s, n, [separator])");
  CHECK(front.signature("('x'):rep(|") == "s:rep(n, [separator])");
  CHECK(front.signature("io.stdout:seek(|") == "file:seek([whence], [offset])");
  CHECK(front.signature("t:exp():sum(|").find("lutra.sum(x, [axis], [options])") == 0);
  CHECK(front.signature("(t * 2):sum(|").find("lutra.sum(x, [axis], [options])") == 0);
  CHECK(front.signature("t[1]:sum(|").find("lutra.sum(x, [axis], [options])") == 0);
  front.run("string.rep = add");
  CHECK(front.signature("string.rep(|") == "string.rep(a, b, ...)");
  CHECK(front.signature("(|") == "");
}

TEST_CASE("an entry that changes key by key has the signatures that it has as a whole") {
  Front typed, whole;
  auto check = [&](const std::string& text) {
    INFO(text);
    whole.session.signature("", 0);  // nothing in common with what comes
    CHECK(typed.session.signature(text, text.size()) == whole.session.signature(text, text.size()));
  };
  const std::string text =
      "local f = 'a\\\nb' x = [==[ \" ]==] -- lt.sum(\nprint(\"a('\") local s = --[=[ ( ]=] lt.ones {2} -- [[\n"
      "string.rep('(', 2) s:matmul(s[1], lt.random.normal({0x1p4, 1e+5}, {mean = 0..1}), [[x]], lt.nn.Dense {2,";
  for (std::size_t size = 0; size <= text.size(); ++size) check(text.substr(0, size));
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const char* added : {"[", "=", "\"", "-", ")", " "}) check(text.substr(0, at) + added + text.substr(at));
    check(text.substr(0, at) + text.substr(at + 1));
  }
  std::string line;  // longer than what is looked at
  while (line.size() < 5000) line += "f(lt.ones {2}, 'text (')  ";
  for (char c : std::string("lt.matmul(a, string.rep(")) check(line += c);
  CHECK(typed.session.signature(line, line.size()).starts_with("string.rep("));
}

TEST_CASE("every function of Lua's own library has a signature") {
  Front front;
  front.run(
      "for _, module in ipairs {'_G', 'string', 'table', 'math', 'io', 'os', 'coroutine', 'utf8', 'debug', 'package'} "
      "do "
      "for name, value in pairs(_G[module]) do "
      "if type(value) == 'function' and name ~= 'atan2' then print(module == '_G' and name or module .. '.' .. name) "
      "end end end");
  std::istringstream names(front.printed);
  int count = 0;
  for (std::string name; std::getline(names, name); ++count) {
    INFO(name);
    CHECK(front.signature(name + "(|").find(name + "(") == 0);
    CHECK(front.session.inspect(name, name.size()).find(name + "(") == 0);
  }
  CHECK(count > 130);
}

TEST_CASE("what is known about a name") {
  Front front;
  CHECK(front.session.inspect("lt.matmul", 5).find("lutra.matmul(") == 0);
  front.run("local t = lt.ones {2, 3}");
  CHECK(front.session.inspect("print(t)", 7) == "t: Tensor (2, 3) float32 on CPU:0");
}

TEST_CASE("between the brackets of a call, its function is described") {
  Front front;
  front.run("local t = lt.ones {2}; local function mine(first) return first end");
  auto about = [&](std::string text) {
    const std::size_t cursor = text.find('|');
    text.erase(cursor, 1);
    return front.session.inspect(text, cursor);
  };
  const std::string matmul = about("lt.matmul|");
  CHECK(matmul.find("matmul(a, b") != std::string::npos);
  for (const char* text : {"lt.matmul(|", "lt.matmul(|)", "x = lt.matmul(no_such, |", "lt.matmul(no_suc|h, 1)",
                           "lt.matmul(f(1, 2), {1, 2}, |)"}) {
    INFO(text);
    CHECK(about(text) == matmul);
  }
  CHECK(about("t:matmul(|").find("matmul(a, b") != std::string::npos);
  CHECK(about("lt.matmul(t|)").starts_with("t: Tensor"));
  CHECK(about("mine(|").starts_with("mine(first)"));
  CHECK(about("string.rep('x', |").starts_with("string.rep("));
  CHECK(about("('x'):rep(|").find("rep(") != std::string::npos);
  CHECK(about("no_such(|").empty());
  CHECK(about("(|").empty());
}

TEST_CASE("what is known about Lua's own library") {
  Front front;
  const std::string texts = front.run("?string");
  CHECK(texts.find("string: texts") == 0);
  for (const char* line : {"string.rep(s, n, [separator])  -- n copies", "string.upper(s)  -- ", "string.unpack("}) {
    INFO(line);
    CHECK(texts.find(line) != std::string::npos);
  }
  CHECK(texts.find("utf8.") == std::string::npos);
  CHECK(front.run("?file").find("  file:seek([whence], [offset])  -- ") != std::string::npos);
  CHECK(front.run("?math").find("  math.pi  -- ") != std::string::npos);
  CHECK(front.run("?math.huge") == "math.huge: inf\n  the float above all numbers, infinity\n");
  // Every library and every field that Lua has is described.
  front.run(
      "for name, value in pairs(package.loaded) do if _G[name] == value and name ~= 'lutra' and name ~= '_G' then "
      "print(name) for field, each in pairs(value) do if type(each) ~= 'function' then print(name .. '.' .. field) end "
      "end end end");
  std::istringstream names(front.printed);
  int count = 0;
  for (std::string name; std::getline(names, name); ++count) {
    INFO(name);
    const std::string about = front.run("?" + name);
    CHECK(about.find(name + ": ") == 0);
    CHECK(about.find('\n') + 1 < about.size());
  }
  CHECK(count == 23);
  front.run("local string = {}");
  CHECK(front.run("?string").find("string: table with 0 entries") == 0);
  front.run("local math = {pi = 3}");
  CHECK(front.run("?math.pi") == "math.pi: 3\n");
}

TEST_CASE("a misspelt name gets the nearest one") {
  Front front;
  front.run("local my_model = 1");
  auto nearest = [&](const std::string& name) {
    const std::string said = front.run("?" + name);
    const std::size_t at = said.find("(did you mean '");
    return at == std::string::npos ? "" : said.substr(at + 15, said.find("'?)") - at - 15);
  };
  CHECK(nearest("sinn") == "sin");
  CHECK(nearest("lt.sinn") == "sin");
  CHECK(nearest("lutra.matmull") == "matmul");
  CHECK(nearest("nn.Dens") == "nn.Dense");
  CHECK(nearest("strng") == "string");
  CHECK(nearest("os.clok") == "os.clock");
  CHECK(nearest("string.rap") == "string.rep");
  CHECK(nearest("my_modl") == "my_model");
  CHECK(nearest("zzzzzzz") == "");
  CHECK(nearest(std::string(100000, 'x')) == "");
}

TEST_CASE("after a point objects have fields, after a colon methods") {
  Front front;
  front.run("t, v = lt.ones {2}, lt.Variable {1}");
  front.run("m = lt.nn.Sequential {lt.nn.Dense(2)}; opt = lt.optim.SGD {learning_rate = 0.1}");
  front.run("ds = lt.data.from_tensors {1, 2}; metric = lt.nn.metrics.Mean()");
  front.run("Mine = lt.nn.Layer:extend 'Mine'; function Mine:scaled() end; mine = Mine()");
  front.run("Plain = {}; Plain.__index = Plain; function Plain.new() return setmetatable({a = 1}, Plain) end");
  front.run("plain = Plain.new(); Derived = setmetatable({}, {__index = Plain})");
  CHECK(front.words("t.|") == "device dtype nbytes rank shape size");
  CHECK(front.words("v.|") == "device dtype name nbytes rank shape size trainable");
  CHECK(has(front.words("m.|"), "layers"));
  CHECK(has(front.words("m.|"), "optimizer"));
  CHECK_FALSE(has(front.words("m.|"), "fit"));
  CHECK_FALSE(has(front.words("opt.|"), "minimize"));
  CHECK(has(front.words("opt.|"), "learning_rate"));
  CHECK(has(front.words("lt.nn.|"), "Dense"));
  CHECK(has(front.words("lt.nn.Layer.|"), "extend"));
  for (const char* name : {"begin", "compute", "ensure_built", "guarded", "read_options", "refuse"}) {
    INFO(name);
    CHECK_FALSE(has(front.words("m:|"), name));
  }
  for (const char* name : {"fit", "compile", "summary", "add"}) CHECK(has(front.words("m:|"), name));
  CHECK(has(front.words("opt:|"), "apply_gradients"));
  CHECK_FALSE(has(front.words("opt:|"), "all_slots"));
  CHECK_FALSE(has(front.words("opt:|"), "check_rate"));
  CHECK(has(front.words("ds:|"), "batch"));
  CHECK_FALSE(has(front.words("ds:|"), "next_seed"));
  CHECK(has(front.words("metric:|"), "update_state"));
  CHECK(has(front.words("mine:|"), "scaled"));
  CHECK_FALSE(has(front.words("mine:|"), "refuse"));
  CHECK(has(front.words("Mine.|"), "scaled"));
  CHECK(front.words("plain.|") == "a");
  CHECK(front.words("plain:|") == "new");
  CHECK(front.words("Plain.|") == "new");
  CHECK(front.words("Derived.|") == "new");
}

TEST_CASE("methods that a function finds are known from the documentation") {
  Front front;
  front.run("g = lt.graph(function(x) return x end); sp = lt.sparse.from_dense(lt.ones {2, 2})");
  front.run("prof = lt.profiler.run(function() lt.ones {2} end)");
  CHECK(has(front.words("g:|"), "summary"));
  CHECK(has(front.words("sp:|"), "matmul"));
  CHECK(has(front.words("sp:|"), "to_dense"));
  CHECK(front.words("prof:|") == "save summary totals");
  CHECK(has(front.words("prof.|"), "events"));
  CHECK(front.run("?g.summary").find("graph:summary(") == 0);
  CHECK(front.run("?prof.save").find("profile:save(") == 0);
  CHECK(front.signature("g:summary(|").find("graph:summary(") == 0);
}
