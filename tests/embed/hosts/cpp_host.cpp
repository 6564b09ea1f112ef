// The same through lutra.hpp, from the guide's own file (run from the root of the source tree).
#include <iostream>
#include <lutra.hpp>
#include <stdexcept>
#include <string>

namespace {

const std::string kExpectedLog =
    "Executing op _EagerConst in device /job:localhost/replica:0/task:0/device:GPU:0\n"
    "Executing op _EagerConst in device /job:localhost/replica:0/task:0/device:GPU:0\n"
    "Executing op MatMul in device /job:localhost/replica:0/task:0/device:GPU:0\n";
const std::string kExpectedPrint =
    "lutra.Tensor(\n"
    "[[22. 28.]\n"
    " [49. 64.]], shape=(2, 2), dtype=float32)\n";

int failures = 0;

void check(bool ok, const std::string& what, const std::string& got = "") {
  if (ok) return;
  std::cerr << "cpp_host: " << what << "; got: " << got << "\n";
  ++failures;
}

// The message of the E that `f` throws; "" when it throws nothing.
template <class E, class F> std::string thrown_by(const F& f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  return "";
}

void check_logging_program() {
  std::string printed, logged;
  lutra::Session session(lutra::Options().simulate_gpus(4));
  session.on_print([&](std::string_view text) { printed += text; });
  session.on_log([&](std::string_view line) { (logged += line) += '\n'; });
  session.run_file("scripts/guide/logging.lua");
  check(printed == kExpectedPrint, "the text differs", printed);
  check(logged == kExpectedLog, "the log differs", logged);

  std::string error =
      thrown_by<lutra::ScriptError>([&] { session.run("local a = lt.zeros({2, 3})\nlt.matmul(a, a)", "wrong.lua"); });
  check(error.rfind("wrong.lua:2: matmul: a (2, 3) and b (2, 3) do not match", 0) == 0, "the error differs", error);
  check(error.find("stack traceback:") != std::string::npos, "no traceback", error);

  printed.clear();
  session.run("print('goes on')");
  check(printed == "goes on\n", "after an error", printed);
}

void check_exceptions_of_callbacks() {
  lutra::Session session;
  session.on_print([](std::string_view) { throw std::out_of_range("from the callback"); });
  std::string error = thrown_by<std::out_of_range>([&] { session.run("print(1) reached = true"); });
  check(error == "from the callback", "a callback's exception", error);
  session.on_print(nullptr);
  session.run("assert(reached)");
}

void check_options() {
  std::string error = thrown_by<lutra::ScriptError>([] { lutra::Session(lutra::Options().simulate_gpus(1000)); });
  check(error.find("sim_gpus is 1000") != std::string::npos, "too many GPUs", error);
  lutra::Session session(lutra::Options().simulate_gpus(2, 64).soft_placement().device("/GPU:7"));
  session.run("assert(lt.zeros({2}).device:find('GPU:0', 1, true))");
}

// Variables and tapes live on from one run() to the next, and one that is open when the session ends is closed with it.
void check_training() {
  for (const char* device : {"/CPU:0", "/GPU:1"}) {
    std::string printed;
    lutra::Session session(lutra::Options().simulate_gpus(2).device(device));
    session.on_print([&](std::string_view text) { printed += text; });
    session.run("w = lt.Variable(lt.zeros({100, 1}))\nx, y = lt.ones({8, 100}), lt.fill({8, 1}, 3)");
    session.run("tape = lt.GradientTape({persistent = true})\nloss = ((x:matmul(w) - y) ^ 2):mean()");
    session.run("w:assign_sub(tape:gradient(loss, w) * 0.005)\nw[1] = 7");
    session.run("print(w[1]:item(), ('%.2f'):format((x:matmul(w))[8]:item()), w.device:sub(-5))");
    std::string error = thrown_by<lutra::ScriptError>([&] { session.run("w:assign(lt.ones({3}))", "wrong.lua"); });
    check(error.find("assign: value has the shape (3,)") != std::string::npos, "an assignment's error", error);
    session.run("print(tape:gradient(loss, w):sum():item())");
    check(printed == "7.0\t9.97\t" + std::string(device).substr(1) + "\n-600.0\n", "training", printed);
  }
}

}  // namespace

int main() {
  check_training();
  check_logging_program();
  check_exceptions_of_callbacks();
  check_options();
  if (failures == 0) std::cout << "cpp_host: all well\n";
  return failures != 0;
}
