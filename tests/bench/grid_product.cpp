// oneDNN by itself, one of the systems of `scripts/dev bench grid`: grid_product FILE, which has what grid_worker.lua
// is given, with `M K N TRANSPOSE_A TRANSPOSE_B` as the code of a run. Prints `time NAME NANOSECONDS`, the fastest of
// what oneDNN offers for these matrices: its sgemm or its primitive, with operands as a program has them; with rows 16
// floats further apart; and with the right one in the order that the primitive asks for. The time it takes to bring
// them there is left out: a program gets neither for a single product. Threads are OMP_NUM_THREADS.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <sstream>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

using dnnl::memory;

struct Product {
  int64_t m, k, n;
  bool transpose_a, transpose_b;
};

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// The median of batches of a millisecond and more, in seconds.
template <class Work> double time_of(const Work& work) {
  constexpr double kBatch = 0.001, kLong = 0.05;
  constexpr int kBatches = 15;
  work();
  long repeats = 1;
  for (;; repeats *= 2) {
    double start = seconds();
    for (long i = 0; i < repeats; ++i) work();
    if (seconds() - start >= kBatch) break;
  }
  std::vector<double> times;
  double total = 0;
  while (times.size() < 5 || (times.size() < kBatches && total < kLong * kBatches)) {
    double start = seconds();
    for (long i = 0; i < repeats; ++i) work();
    times.push_back((seconds() - start) / static_cast<double>(repeats));
    total += times.back() * static_cast<double>(repeats);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

// A matrix of multiples of 1/64 whose rows are `step` floats apart.
struct Matrix {
  int64_t rows, columns, step;
  std::vector<float> storage;
  float* data;

  Matrix(int64_t r, int64_t c, int64_t gap) : rows(r), columns(c), step(c + gap) {
    constexpr std::size_t kAlign = 64 / sizeof(float);
    storage.resize(static_cast<std::size_t>(rows * step) + kAlign);
    void* at = storage.data();
    std::size_t room = storage.size() * sizeof(float);
    data = static_cast<float*>(std::align(64, static_cast<std::size_t>(rows * step) * sizeof(float), at, room));
    for (int64_t i = 0; i < rows * step; ++i) data[i] = static_cast<float>(i * 7919 % 127) / 64 - 1;
  }
  // As (rows, columns), or turned.
  memory::desc desc(bool turned) const {
    if (turned) return {{columns, rows}, memory::data_type::f32, memory::dims{1, step}};
    return {{rows, columns}, memory::data_type::f32, memory::dims{step, 1}};
  }
};

class Runs {
 public:
  explicit Runs(const Product& product) : p_(product) {}

  // Nanoseconds.
  double fastest() {
    for (int64_t gap : {0, 16}) {
      Matrix a = p_.transpose_a ? Matrix(p_.k, p_.m, gap) : Matrix(p_.m, p_.k, gap);
      Matrix b = p_.transpose_b ? Matrix(p_.n, p_.k, gap) : Matrix(p_.k, p_.n, gap);
      Matrix c(p_.m, p_.n, 0);
      take(time_of([&] {
        dnnl_sgemm(p_.transpose_a ? 'T' : 'N', p_.transpose_b ? 'T' : 'N', p_.m, p_.n, p_.k, 1, a.data, a.step, b.data,
                   b.step, 0, c.data, c.step);
      }));
      primitive(a, b, c, b.desc(p_.transpose_b));
      memory::desc any({p_.k, p_.n}, memory::data_type::f32, memory::format_tag::any);
      if (gap == 0) primitive(a, b, c, any);
    }
    return best_ * 1e9;
  }

 private:
  void take(double time) { best_ = std::min(best_, time); }

  void primitive(const Matrix& a, const Matrix& b, const Matrix& c, const memory::desc& wanted) {
    memory::desc from = a.desc(p_.transpose_a), given = b.desc(p_.transpose_b), to = c.desc(false);
#if DNNL_VERSION_MAJOR >= 3
    dnnl::matmul::primitive_desc desc(engine_, from, wanted, to);
#else
    dnnl::matmul::primitive_desc desc(dnnl::matmul::desc(from, wanted, to), engine_);
#endif
    dnnl::matmul matmul(desc);
    memory x(from, engine_, a.data), y(given, engine_, b.data), z(to, engine_, c.data);
    if (desc.weights_desc() != given) {
      memory ordered(desc.weights_desc(), engine_);
      dnnl::reorder(y, ordered).execute(stream_, y, ordered);
      y = ordered;
    }
    std::unordered_map<int, memory> arguments = {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, y}, {DNNL_ARG_DST, z}};
    take(time_of([&] {
      matmul.execute(stream_, arguments);
      stream_.wait();
    }));
  }

  Product p_;
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  double best_ = 1e9;
};

}  // namespace

int main(int count, char** words) {
  if (count != 2) {
    std::fprintf(stderr, "grid_product FILE\n");
    return 2;
  }
  auto cpu_seconds = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
  std::printf("start\t%f\n", cpu_seconds());
  std::fflush(stdout);
  std::ifstream file(words[1]);
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string word, name, inputs, setup, run;
    for (std::string* field : {&word, &name, &inputs, &setup, &run}) std::getline(fields, *field, '\t');
    Product p{};
    if (word != "work" || !(std::istringstream(run) >> p.m >> p.k >> p.n >> p.transpose_a >> p.transpose_b)) continue;
    std::printf("time\t%s\t%.1f\n", name.c_str(), Runs(p).fastest());
  }
  std::printf("end\t%f\n", cpu_seconds());
}
