// lutra.hpp has classes of the same names as Lutra's own: those of the static library must not be taken for them.
#include <cstdio>
#include <lutra.hpp>
#include <vector>

int main() {
  lutra::Session session(lutra::Options().simulate_gpus(1));
  lutra::Tensor x = session.tensor(std::vector<float>{1, 2, 3, 4}, {2, 2});
  lutra::Tensor y = lutra::matmul(x, x, {{"transpose_b", true}});
  const std::vector<float> numbers = y.to_vector<float>();
  if (numbers != std::vector<float>{5, 11, 11, 25}) return 1;
  session.function("double_it", [](double value) { return 2 * value; });
  session.run("assert(double_it(4) == 8)");
  try {
    session.run("local t = lt.ones {2} + lt.ones {3}");
    return 1;
  } catch (const lutra::ScriptError& error) {
    if (error.code() != std::string("InvalidArgument")) return 1;
  }
  std::printf("%.0f\n", numbers[3]);
  return 0;
}
