// An op of the host's: placed, logged, differentiated, refused.
#include <cmath>
#include <cstring>
#include <iostream>
#include <lutra.hpp>
#include <string>

namespace {

int failures = 0;
void check_at(int line, bool ok, const std::string& got = "") {
  if (ok) return;
  std::cerr << "op_host.cpp:" << line << ": got: " << got << "\n";
  ++failures;
}
#define CHECK(...) check_at(__LINE__, __VA_ARGS__)

// hypotenuse(a, b) of equal shapes, written for both dtypes.
template <class T> void hypotenuse_of(const lutra_array* in, lutra_array* out) {
  for (std::size_t i = 0; i < out->count; ++i) {
    static_cast<T*>(out->data)[i] = std::hypot(static_cast<T*>(in[0].data)[i], static_cast<T*>(in[1].data)[i]);
  }
}
int hypotenuse_shape(void*, lutra_t* lutra, const lutra_array* in, int, lutra_array*, int) {
  if (in[0].rank == in[1].rank && std::memcmp(in[0].shape, in[1].shape, sizeof(int64_t) * in[0].rank) == 0) return 0;
  return lutra_fail(lutra, "a and b must have one shape");
}
int hypotenuse(void* user, lutra_t* lutra, const lutra_array* in, int n_in, lutra_array* out, int n_out) {
  ++*static_cast<int*>(user);
  if (n_in != 2 || n_out != 1) return 1;
  if (in[0].count == 3) return lutra_fail(lutra, "three is refused");
  if (in[0].count == 5) return 1;
  if (in[0].dtype == LUTRA_FLOAT32) hypotenuse_of<float>(in, out);
  else hypotenuse_of<double>(in, out);
  return 0;
}
// (a, b, y, dy) -> dy a / y, dy b / y
int slopes(void*, lutra_t*, const lutra_array* in, int n_in, lutra_array* out, int n_out) {
  if (n_in != 4 || n_out != 2 || in[0].dtype != LUTRA_FLOAT64) return 1;
  for (int k = 0; k < 2; ++k) {
    for (std::size_t i = 0; i < out[k].count; ++i) {
      static_cast<double*>(out[k].data)[i] = static_cast<double*>(in[3].data)[i] * static_cast<double*>(in[k].data)[i] /
                                             static_cast<double*>(in[2].data)[i];
    }
  }
  return 0;
}

// Two results of other shapes: the sums over rows, and their number.
int rows_shape(void*, lutra_t*, const lutra_array* in, int, lutra_array* out, int) {
  out[0].rank = 1;
  out[0].shape[0] = in[0].shape[0];
  out[1].rank = 0;
  return 0;
}
int rows(void*, lutra_t*, const lutra_array* in, int, lutra_array* out, int) {
  const auto n = in[0].shape[0], m = in[0].shape[1];
  for (int64_t i = 0; i < n; ++i) {
    float sum = 0;
    for (int64_t j = 0; j < m; ++j) sum += static_cast<const float*>(in[0].data)[i * m + j];
    static_cast<float*>(out[0].data)[i] = sum;
  }
  *static_cast<float*>(out[1].data) = static_cast<float>(n);
  return 0;
}
int wrong_shape(void*, lutra_t*, const lutra_array*, int, lutra_array* out, int) {
  out[0].rank = 99;
  return 0;
}

}  // namespace

int main() {
  int calls = 0;
  std::string logged;
  lutra::Session session(lutra::Options().simulate_gpus(1).log_placement());
  session.on_log([&](std::string_view line) { (logged += line) += '\n'; });
  session.run("before = lt.ones {2} + 1");
  lutra_op_def def = LUTRA_OP_DEF_INIT;
  def.name = "Hypotenuse";
  def.lua_name = "hypotenuse";
  def.summary = "The hypotenuse of two sides.";
  def.n_inputs = 2;
  def.shape = hypotenuse_shape;
  def.kernel = hypotenuse;
  def.gradient = slopes;
  def.user = &calls;
  CHECK(lutra_register_op(session.handle(), &def) == LUTRA_OK, lutra_error(nullptr));
  logged.clear();
  session.run(R"lua(
local a, b = lt.constant({3.0, 6.0}, {dtype = "float64"}), lt.constant({4.0, 8.0}, {dtype = "float64"})
local y = lt.hypotenuse(a, b)
assert(y[1]:item() == 5 and y[2]:item() == 10 and y.dtype == "float64" and y.device:find("CPU:0"))
assert(lt.hypotenuse({3.0, 5.0}, {4.0, 12.0})[2]:item() == 13 and lt.hypotenuse({3, 5}, {4.0, 12.0}).dtype == "float32")
assert(lt.help("hypotenuse"):find("The hypotenuse of two sides.", 1, true))
a = lt.device("CPU:0", lt.identity, a)
local tape <close> = lt.GradientTape {persistent = true}
tape:watch(a)
local big = lt.hypotenuse(a, b) * 10
local da = tape:gradient(big, a)
assert(math.abs(da[1]:item() - 6) < 1e-12 and math.abs(da[2]:item() - 6) < 1e-12)
local function fails(text, f, ...)
  local ok, err = pcall(f, ...)
  assert(not ok and lt.iserror(err, "InvalidArgument") and err.message:find(text, 1, true), tostring(err))
end
fails("hypotenuse: a and b must have one shape", lt.hypotenuse, {1.0, 2.0}, {1.0})
fails("hypotenuse: three is refused", lt.hypotenuse, {1.0, 2.0, 3.0}, {1.0, 2.0, 3.0})
fails("hypotenuse: the host's kernel failed", lt.hypotenuse, {1.0, 2.0, 3.0, 4.0, 5.0}, {1.0, 2.0, 3.0, 4.0, 5.0})
fails("hypotenuse: 1 argument given", lt.hypotenuse, {1.0})
fails("bool", lt.hypotenuse, {true}, {true})
)lua");
  CHECK(logged.find("Executing op Hypotenuse in device /job:localhost/replica:0/task:0/device:CPU:0") !=
            std::string::npos,
        logged);
  CHECK(logged.find("Executing op HypotenuseGrad in device") != std::string::npos, logged);
  CHECK(calls >= 5);

  lutra_op_def two = LUTRA_OP_DEF_INIT;
  two.name = "Rows";
  two.lua_name = "rows";
  two.n_outputs = 2;
  two.dtypes = 1u << LUTRA_FLOAT32;
  two.shape = rows_shape;
  two.kernel = rows;
  CHECK(lutra_register_op(session.handle(), &two) == LUTRA_OK, lutra_error(nullptr));
  session.run(
      "local s, n = lt.rows(lt.ones {4, 5}) assert(s.shape[1] == 4 and s[4]:item() == 5 and n:item() == 4)\n"
      "assert(lt.hypotenuse({3.0}, {4.0}):item() == 5 and (lt.ones {2} + 1):sum():item() == 4)");

  auto refused = [&](lutra_op_def op, const char* text) {
    const int status = lutra_register_op(session.handle(), &op);
    check_at(__LINE__, status != LUTRA_OK && std::strstr(lutra_error(nullptr), text) != nullptr, lutra_error(nullptr));
  };
  refused(def, "an op called Hypotenuse is there already");
  lutra_op_def other = def;
  other.name = "Other";
  refused(other, "lutra.hypotenuse is there already");
  other.lua_name = "a.b";
  refused(other, "without dots");
  other.lua_name = "matmul";
  refused(other, "lutra.matmul is there already");
  other.lua_name = nullptr;
  refused(other, "lua_name is NULL");
  other.lua_name = "other";
  other.kernel = nullptr;
  refused(other, "kernel is NULL");
  other.kernel = hypotenuse;
  other.n_inputs = 9;
  refused(other, "n_inputs is 9");
  other.n_inputs = 4;
  other.n_outputs = 3;
  refused(other, "n_inputs + 2 n_outputs");
  other.n_outputs = 5;
  refused(other, "n_outputs is 5");
  other = two;
  other.size = 8;
  refused(other, "size is 8");
  other = two;
  other.name = "Wrong";
  other.lua_name = "wrong";
  other.shape = wrong_shape;
  CHECK(lutra_register_op(session.handle(), &other) == LUTRA_OK, lutra_error(nullptr));
  session.run("local ok, err = pcall(lt.wrong, lt.ones {2, 2}) assert(not ok and tostring(err):find('the rank 99'))");
  CHECK(lutra_register_op(session.handle(), nullptr) != LUTRA_OK && lutra_register_op(nullptr, &def) != LUTRA_OK);
  if (failures == 0) std::cout << "op_host: all well\n";
  return failures != 0;
}
