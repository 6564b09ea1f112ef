// lutra.hpp: values, tensors, ops, gradients, lambdas and exceptions.
#include <unistd.h>

#include <cmath>
#include <iostream>
#include <lutra.hpp>
#include <numeric>
#include <thread>

namespace {

using lutra::Object;
using lutra::Tensor;

int failures = 0;

void check_at(int line, bool ok, const std::string& got = "") {
  if (ok) return;
  std::cerr << "cpp_values_host.cpp:" << line << ": got: " << got << "\n";
  ++failures;
}
#define CHECK(...) check_at(__LINE__, __VA_ARGS__)

template <class F> lutra::ScriptError error_of(const F& f) {
  try {
    f();
  } catch (const lutra::ScriptError& error) {
    return error;
  }
  return lutra::ScriptError("no error");
}
template <class F> std::string text_of(const F& f) { return error_of(f).message(); }
bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

void check_values() {
  lutra::Session session;
  session.set("n", 5);
  session.set("name", std::string("a\0b", 3));
  session.set("list", std::vector<double>{1.5, 2.5});
  session.set("yes", true);
  session.set("deep", std::vector<std::vector<int>>{{1, 2}, {3}});
  session.run("assert(n == 5 and #name == 3 and list[2] == 2.5 and yes == true and deep[2][1] == 3)");
  CHECK(session.get<int>("n") == 5 && session.get<double>("n") == 5.0 && session.get<std::string>("name").size() == 3);
  CHECK(session.get<std::vector<double>>("list") == std::vector<double>{1.5, 2.5});
  CHECK((session.get<std::vector<std::vector<int>>>("deep")[1] == std::vector<int>{3}));
  CHECK(has(text_of([&] { session.get<std::string>("n"); }), "expected a string, got an integer"));
  session.run("big = 3000000000 half = 0.5 whole = 2.0 empty = {}");
  CHECK(has(text_of([&] { session.get<int32_t>("big"); }), "does not fit"));
  CHECK(has(text_of([&] { session.get<int>("half"); }), "expected an integer"));
  CHECK(session.get<int>("whole") == 2 && session.get<std::vector<int>>("empty").empty());

  session.run("function f(a, b) return a + b, tostring(a), a < b end function g() end");
  auto [sum, text, less] = session.call<std::tuple<int, std::string, bool>>("f", 1, 2);
  CHECK(sum == 3 && text == "1" && less);
  CHECK(session.call<int>("f", 4, 5) == 9);
  session.call("g", "x", nullptr, std::vector<int>{1});
  CHECK(session.call<lutra::Value>("g").is_nil());
  CHECK(session.call<double>("math.sqrt", 16) == 4);

  session.run("Counter = {n = 0} function Counter:add(by) self.n = self.n + by return self.n end");
  Object counter = session.get<Object>("Counter");
  CHECK(counter.call<int>("add", 3) == 3 && counter.call<int>("add", 3) == 6);
  CHECK(session.get<Object>("math.max").call<double>(nullptr, 1, 7.5) == 7.5);
}

void check_tensors() {
  lutra::Session session;
  std::vector<float> numbers(24);
  std::iota(numbers.begin(), numbers.end(), 0.0f);
  Tensor a = session.tensor(numbers, {4, 6});
  CHECK(a && a.rank() == 2 && (a.shape() == lutra::Shape{4, 6}) && a.dtype() == lutra::DType::Float32);
  CHECK(a.to_vector<float>() == numbers);
  CHECK(has(text_of([&] { a.to_vector<double>(); }), "dtype"));
  CHECK(has(text_of([&] { a.item(); }), "24 elements"));
  CHECK(has(text_of([&] { Tensor().to_vector<float>(); }), "no tensor"));
  CHECK(has(text_of([&] { session.tensor(numbers, {5, 5}); }), "takes 100 bytes, got 96"));

  // Vectors move into tensors, arrays of the host are wrapped; both are used in place.
  const float* at = numbers.data();
  Tensor moved = session.wrap(std::move(numbers), {24});
  CHECK(moved.span<float>().data() == at && moved.span<float>()[23] == 23);
  static const double fixed[3] = {1, 2, 3};
  int released = 0;
  {
    Tensor wrapped = session.wrap<double>(lutra::Span<const double>(fixed, 3), {3}, [&] { ++released; });
    CHECK(wrapped.span<double>().data() == fixed);
    CHECK(lutra::sum(wrapped).item() == 6);
  }
  session.trim();
  CHECK(released == 1);

  // Operators and ops: what the same lines of Lua give.
  Tensor x = session.tensor<double>({1, 4, 9});
  CHECK((lutra::sqrt(x) + 1).to_vector<double>() == std::vector<double>{2, 3, 4});
  CHECK((2.0 * x - x / 2).to_vector<double>() == std::vector<double>{1.5, 6, 13.5});
  CHECK((-x).to_vector<double>() == std::vector<double>{-1, -4, -9});
  CHECK((x + x).to_vector<double>() == std::vector<double>{2, 8, 18});
  Tensor w = lutra::matmul(a, a, {{"transpose_b", true}});
  CHECK((w.shape() == lutra::Shape{4, 4}) && w.to_vector<float>()[0] == 55);
  CHECK((lutra::sum(a, 1).shape() == lutra::Shape{6}));
  CHECK((lutra::sum(a, 1, {{"keepdims", true}}).shape() == lutra::Shape{1, 6}));
  CHECK((lutra::reshape(a, {2, 12}).shape() == lutra::Shape{2, 12}));
  CHECK((lutra::concat({a, a}, 2).shape() == lutra::Shape{4, 12}));
  CHECK(lutra::cast(x, lutra::DType::Int32).to_vector<int32_t>() == std::vector<int32_t>{1, 4, 9});
  CHECK(lutra::split(a, 2).size() == 2);
  auto [largest, index] = lutra::top_k(x, 1);
  CHECK(largest.to_vector<double>()[0] == 9 && index.size() == 1);
  CHECK(lutra::gt(x, 3).to_vector<uint8_t>() == std::vector<uint8_t>{0, 1, 1});
  CHECK((lutra::zeros(session, {2, 3}, {{"dtype", "int64"}}).dtype() == lutra::DType::Int64));
  CHECK((lutra::random::normal(session, {5}).shape() == lutra::Shape{5}));
  CHECK(lutra::where(lutra::gt(x, 3), x, 0).to_vector<double>() == std::vector<double>{0, 4, 9});
  lutra::ScriptError error = error_of([&] { lutra::matmul(a, a); });
  CHECK(error.code() == "InvalidArgument" && has(error.message(), "matmul: a (4, 6) and b (4, 6) do not match"),
        error.what());
  CHECK(has(text_of([&] { lutra::add(1, 2); }), "session of its tensors"));
  CHECK(has(text_of([&] { lutra::sum(a, 1, {{"keepdim", true}}); }), "keepdim"));

  // A tensor passes through Lua as itself.
  session.set("x", x);
  session.run("function same(t) return t end assert(x[3]:item() == 9)");
  CHECK(session.call<Tensor>("same", x).span<double>().data() == x.span<double>().data() || x.size() == 3);
  CHECK(session.call<std::vector<Tensor>>("lt.split", a, 2).size() == 2);
}

void check_gradients() {
  lutra::Session session;
  Tensor x = session.tensor<double>({1, 2, 3});
  {
    lutra::GradientTape tape(session);
    tape.watch(x);
    CHECK(tape.gradient(lutra::sum(x * x * x), x).to_vector<double>() == std::vector<double>{3, 12, 27});
  }
  Object variable = session.call<Object>("lt.Variable", session.tensor<double>({2}));
  lutra::GradientTape tape(session, true);
  Tensor value = variable.call<Tensor>("value");
  (void)value;
  session.run("function square(v) return v * v end");
  Tensor y = session.call<Tensor>("square", variable);
  CHECK(tape.gradient(y, variable).item() == 4);
  CHECK(!tape.gradient(y, x));
  tape.watch(x);
  std::vector<Tensor> both = tape.gradient(lutra::sum(x * 2.0), std::vector<Tensor>{x});
  CHECK(both.size() == 1 && both[0].to_vector<double>() == std::vector<double>{2, 2, 2});
}

void check_lambdas() {
  lutra::Session session;
  int count = 0;
  session.function("host.add", [&](double a, int b) { return a + b; });
  session.function("host.count", [&] { ++count; });
  session.function("host.two", [](const std::string& text) {
    return std::tuple<std::string, std::size_t>(text + "!", text.size());
  });
  session.function("host.scale", [&](const Tensor& t, double by) {
    std::vector<float> numbers = t.to_vector<float>();
    for (float& number : numbers) number *= static_cast<float>(by);
    return session.tensor(numbers, t.shape());
  });
  session.function("host.total",
                   [](const std::vector<double>& list) { return std::accumulate(list.begin(), list.end(), 0.0); });
  session.function("host.bad", []() -> int { throw std::out_of_range("no such thing"); });
  session.function("host.worse", [](int) { throw 7; });
  session.function("host.apply", [](const Object& f) { return static_cast<bool>(f); });
  session.run(R"lua(
assert(host.add(1.5, 2) == 3.5)
host.count() host.count()
local text, size = host.two("abc")
assert(text == "abc!" and size == 3)
assert(host.scale(lt.constant {1.0, 2.0}, 3):sum():item() == 9)
assert(host.total {1, 2, 3.5} == 6.5 and host.apply(print) == true)
local function fails(text, f, ...)
  local ok, err = pcall(f, ...)
  assert(not ok and tostring(err):find(text, 1, true), tostring(err))
end
fails("host.add: argument 2: expected an integer, got a string", host.add, 1, "x")
fails("host.add: argument 1: expected a number, got nil", host.add)
fails("host.bad: no such thing", host.bad)
fails("no std::exception", host.worse, 1)
)lua");
  CHECK(count == 2);
  lutra::ScriptError error = error_of([&] { session.run("\nhost.bad()", "=game.lua"); });
  CHECK(has(error.message(), "game.lua:2: host.bad: no such thing") && error.code() == "FailedPrecondition",
        error.what());
  CHECK(has(error.traceback(), "game.lua:2") && has(error.what(), "stack traceback"), error.traceback());
  // Another interpreter may be used inside a callback.
  lutra::Session other;
  session.function("ask", [&](int n) { return other.call<int>("math.abs", n); });
  session.run("assert(ask(-3) == 3)");
  // And the one that calls it.
  session.function("myself", [&](const Tensor& t) { return lutra::matmul(t, t) + session.call<int>("math.abs", -1); });
  session.run("for i = 1, 3 do assert(myself(lt.ones {2, 2}):sum():item() == 12) end");
  session.function("fails", [&] { session.run("error('inside', 0)"); });
  CHECK(has(text_of([&] { session.run("fails()"); }), "fails: inside"));
  session.on_print([&](std::string_view) { session.run("x = 1"); });
  CHECK(has(text_of([&] { session.run("print(1)"); }), "a callback must not use the lutra_t"));
  session.on_print(nullptr);
}

void check_ends() {
  Tensor kept;
  {
    lutra::Session session;
    kept = session.tensor(std::vector<float>(100, 2.0f));
    kept = kept * 3;
  }
  CHECK(kept.to_vector<float>()[99] == 6);
  CHECK(has(text_of([&] { kept + 1; }), "was closed"));
  std::thread([moved = std::move(kept)] {}).join();

  lutra::Session session;
  session.set_deadline(0.02);
  lutra::ScriptError error = error_of([&] { session.run("while true do end"); });
  CHECK(error.status() == LUTRA_LIMIT && error.code() == "DeadlineExceeded", error.what());
  session.set_deadline(0);
  bool started = false;
  std::thread stopper;
  session.function("started", [&] {
    started = true;
    stopper = std::thread([&] { session.interrupt(); });
  });
  error = error_of([&] { session.run("started() while true do pcall(function() while true do end end) end"); });
  stopper.join();
  CHECK(error.status() == LUTRA_INTERRUPTED && started, error.what());
  CHECK(session.memory().lua_bytes > 1000);

  error = error_of([&] { session.poll(); });
  CHECK(error.code() == "FailedPrecondition", error.what());
  const std::string path = "/tmp/lutra-cpp-host-" + std::to_string(getpid()) + ".sock";
  session.listen(path.c_str());
  CHECK(session.poll() == 0 && access(path.c_str(), F_OK) == 0);
  session.listen(nullptr);
  CHECK(access(path.c_str(), F_OK) != 0);
}

}  // namespace

int main() {
  check_values();
  check_tensors();
  check_gradients();
  check_lambdas();
  check_ends();
  if (failures == 0) std::cout << "cpp_values_host: all well\n";
  return failures != 0;
}
