// A step of recurrent layers on cards, one thread per unit.
#include "kernels/cuda/elementwise.h"
#include "kernels/element/recurrent.h"

namespace lutra::cuda {
namespace {

// Unit i is number i % n of row i / n; a row of gates is several times as long.
struct Unit {
  int64_t i, first, n;
  LUTRA_DEVICE Unit(int64_t number, int64_t units, int64_t gates)
      : i(number), first(number / units * gates * units + number % units), n(units) {}
};

template <class T> LUTRA_DEVICE ComputeType<T> value(const Input<T>& in, int64_t i) {
  return computed_in(in.data != nullptr ? in.data[i] : in.number);
}
template <class T> LUTRA_DEVICE LstmGates<ComputeType<T>> lstm_gates(const Input<T>& in, const Unit& at) {
  return {value(in, at.first), value(in, at.first + at.n), value(in, at.first + 2 * at.n),
          value(in, at.first + 3 * at.n)};
}
template <class T> LUTRA_DEVICE void put(const LstmGates<ComputeType<T>>& gates, T* out, const Unit& at) {
  out[at.first] = rounded_to<T>(gates.input);
  out[at.first + at.n] = rounded_to<T>(gates.forget);
  out[at.first + 2 * at.n] = rounded_to<T>(gates.candidate);
  out[at.first + 3 * at.n] = rounded_to<T>(gates.output);
}
template <class T> LUTRA_DEVICE GruGates<ComputeType<T>> gru_gates(const Input<T>& in, const Unit& at) {
  return {value(in, at.first), value(in, at.first + at.n), value(in, at.first + 2 * at.n)};
}
template <class T> LUTRA_DEVICE void put(const GruGates<ComputeType<T>>& gates, T* out, const Unit& at) {
  out[at.first] = rounded_to<T>(gates.update);
  out[at.first + at.n] = rounded_to<T>(gates.reset);
  out[at.first + 2 * at.n] = rounded_to<T>(gates.candidate);
}

template <class T> struct LstmCell {
  using C = ComputeType<T>;
  Input<T> x, recurrent, cell;
  T *h, *next, *gates;
  int64_t n;

  explicit LstmCell(const KernelArgs& args)
      : x(input_of<T>(args.in[0])),
        recurrent(input_of<T>(args.in[1])),
        cell(input_of<T>(args.in[2])),
        h(args.out[0].as<T>()),
        next(args.out[1].as<T>()),
        gates(args.out[2].as<T>()) {}
  static const Array& state(const KernelArgs& args) { return args.in[2]; }

  LUTRA_DEVICE void run(int64_t i) const {
    const Unit at(i, n, 4);
    const LstmGates<C> a = lstm_gates(x, at), b = lstm_gates(recurrent, at);
    const auto step = LstmStep<C>::of(
        {a.input + b.input, a.forget + b.forget, a.candidate + b.candidate, a.output + b.output}, value(cell, i));
    h[i] = rounded_to<T>(step.h);
    next[i] = rounded_to<T>(step.cell);
    put(step.gates, gates, at);
  }
};

template <class T> struct LstmCellGrad {
  using C = ComputeType<T>;
  Input<T> gates, cell, next, dh, dnext;
  T *sums, *dcell;
  int64_t n;

  explicit LstmCellGrad(const KernelArgs& args)
      : gates(input_of<T>(args.in[0])),
        cell(input_of<T>(args.in[1])),
        next(input_of<T>(args.in[2])),
        dh(input_of<T>(args.in[3])),
        dnext(input_of<T>(args.in[4])),
        sums(args.out[0].as<T>()),
        dcell(args.out[1].as<T>()) {}
  static const Array& state(const KernelArgs& args) { return args.in[1]; }

  LUTRA_DEVICE void run(int64_t i) const {
    const Unit at(i, n, 4);
    const auto slopes =
        LstmSlopes<C>::of(lstm_gates(gates, at), value(cell, i), value(next, i), value(dh, i), value(dnext, i));
    dcell[i] = rounded_to<T>(slopes.cell);
    put(slopes.sums, sums, at);
  }
};

template <class T> struct GruCell {
  using C = ComputeType<T>;
  Input<T> x, recurrent, before;
  T *h, *gates;
  int64_t n;

  explicit GruCell(const KernelArgs& args)
      : x(input_of<T>(args.in[0])),
        recurrent(input_of<T>(args.in[1])),
        before(input_of<T>(args.in[2])),
        h(args.out[0].as<T>()),
        gates(args.out[1].as<T>()) {}
  static const Array& state(const KernelArgs& args) { return args.in[2]; }

  LUTRA_DEVICE void run(int64_t i) const {
    const Unit at(i, n, 3);
    const auto step = GruStep<C>::of(gru_gates(x, at), gru_gates(recurrent, at), value(before, i));
    h[i] = rounded_to<T>(step.h);
    put(step.gates, gates, at);
  }
};

template <class T> struct GruCellGrad {
  using C = ComputeType<T>;
  Input<T> gates, recurrent, before, dy;
  T *dx, *drecurrent, *dh;
  int64_t n;

  explicit GruCellGrad(const KernelArgs& args)
      : gates(input_of<T>(args.in[0])),
        recurrent(input_of<T>(args.in[1])),
        before(input_of<T>(args.in[2])),
        dy(input_of<T>(args.in[3])),
        dx(args.out[0].as<T>()),
        drecurrent(args.out[1].as<T>()),
        dh(args.out[2].as<T>()) {}
  static const Array& state(const KernelArgs& args) { return args.in[2]; }

  LUTRA_DEVICE void run(int64_t i) const {
    const Unit at(i, n, 3);
    const auto slopes =
        GruSlopes<C>::of(gru_gates(gates, at), value(recurrent, at.first + 2 * n), value(before, i), value(dy, i));
    dh[i] = rounded_to<T>(slopes.h);
    put(slopes.x, dx, at);
    put(GruGates<C>{slopes.x.update, slopes.x.reset, slopes.recurrent_candidate}, drecurrent, at);
  }
};

template <class Cell> LUTRA_GLOBAL void cell_kernel(const Cell cell, int64_t size) {
  const int64_t step = thread_count();
  for (int64_t i = thread_index(); i < size; i += step) cell.run(i);
}

template <class Cell> void run_cell(const KernelArgs& args) {
  const CudaLaunch& on = static_cast<const CudaLaunch&>(args);
  const Array& state = Cell::state(args);
  if (state.size == 0) return;
  Cell cell(args);
  cell.n = state.dims[state.rank - 1];
  launch(on, grid_for(on, state.size), cell_kernel<Cell>, cell, state.size);
}

}  // namespace

void register_recurrent_cuda(CudaKernels& kernels) {
  auto add = [&](const char* name, auto entry) { kernels.add_each(name, AllFloats{}, entry); };
  add("LstmCell", []<class T>(TypeTag<T>) { return KernelEntry{.run = run_cell<LstmCell<T>>}; });
  add("LstmCellGrad", []<class T>(TypeTag<T>) { return KernelEntry{.run = run_cell<LstmCellGrad<T>>}; });
  add("GruCell", []<class T>(TypeTag<T>) { return KernelEntry{.run = run_cell<GruCell<T>>}; });
  add("GruCellGrad", []<class T>(TypeTag<T>) { return KernelEntry{.run = run_cell<GruCellGrad<T>>}; });
}

}  // namespace lutra::cuda
