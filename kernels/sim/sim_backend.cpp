// Simulated GPUs run the CPU's kernels on their own queues, for exactly the ops whose entry says that a GPU has them. A
// launch is packed into one block that the queue copies, so nothing of it stays on the caller's stack.

#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "device/sim/sim_stream.h"
#include "device/sim/uncomputed.h"
#include "ops/backend.h"

namespace lutra {
namespace {

// Head of the block; the arrays, their dims, the attributes and the one-element inputs follow it.
struct PackedLaunch {
  void (*run)(const KernelArgs& args);
  KernelArgs args;
};

std::size_t bytes_of(const Array& array) { return static_cast<std::size_t>(array.size) * size_of(array.dtype); }

// The op that should have computed some input and could not; null if all inputs are there.
const char* missing_input(const KernelArgs& args) {
  const char* who = nullptr;
  for (int i = 0; i < args.n_in && who == nullptr; ++i) {
    who = Uncomputed::all().find(args.in[i].data, bytes_of(args.in[i]));
  }
  return who;
}

// Whether the launch has run; if not, `*who` is the op that could not compute.
bool run_launch(const PackedLaunch& launch, const char** who) {
  if (Uncomputed::all().any()) [[unlikely]] {
    *who = missing_input(launch.args);
    if (*who != nullptr) return false;
  }
  try {
    launch.run(launch.args);
    return true;
  } catch (...) {
    *who = launch.args.op->called();
    return false;  // kernels throw only when memory is lacking
  }
}

void run_packed(void* block) {
  const PackedLaunch& launch = *static_cast<const PackedLaunch*>(block);
  const KernelArgs& args = launch.args;
  const char* who = nullptr;
  bool has_run = run_launch(launch, &who);
  Uncomputed& uncomputed = Uncomputed::all();
  if (has_run && !uncomputed.any()) [[likely]]
    return;
  for (int i = 0; i < args.n_out; ++i) {
    const Array& out = args.out[i];
    uncomputed.remove(out.data, bytes_of(out));
    if (!has_run) uncomputed.add(out.data, bytes_of(out), who);
  }
}

// The block was copied: every pointer into it must point into the copy.
void relocate_packed(void* copy, const void* original) {
  PackedLaunch* launch = static_cast<PackedLaunch*>(copy);
  auto moved = [&](auto* pointer) {
    auto offset = reinterpret_cast<const std::byte*>(pointer) - static_cast<const std::byte*>(original);
    return reinterpret_cast<decltype(pointer)>(static_cast<std::byte*>(copy) + offset);
  };
  KernelArgs& args = launch->args;
  args.attrs = moved(static_cast<const std::byte*>(args.attrs));
  if (Ints* list = args.op->list_in(const_cast<void*>(args.attrs))) list->v = moved(list->v);
  args.in = moved(args.in);
  args.out = moved(args.out);
  Array* arrays = const_cast<Array*>(args.in);
  for (int i = 0; i < args.n_in + args.n_out; ++i) {
    arrays[i].dims = moved(arrays[i].dims);
    if (arrays[i].immediate) arrays[i].data = moved(arrays[i].data);
  }
}

class SimBackend final : public Backend {
 public:
  const char* name() const override { return "sim"; }

  void register_kernels(KernelRegistry& kernels) const override {
    for (int id = 0; id < kernels.ops().count(); ++id) {
      const OpDef& op = kernels.ops().at(id);
      for (int i = 0; i < kDTypeCount; ++i) {
        DType key = static_cast<DType>(i);
        if (op.gpu.has(key)) kernels.add(op.name, DeviceType::GPU, key, kernels.find(DeviceType::CPU, op, key));
      }
    }
  }

  Ticket submit(Stream& stream, const KernelEntry& kernel, const KernelArgs& args) const override {
    std::size_t attr_bytes = args.op->attr_bytes(args.attrs);
    std::size_t arrays = static_cast<std::size_t>(args.n_in + args.n_out);
    std::size_t most =
        sizeof(PackedLaunch) + attr_bytes + arrays * (sizeof(Array) + kMaxRank * sizeof(int64_t) + kMostElementBytes);
    alignas(16) std::byte small[2048];
    std::vector<std::byte> large;
    std::byte* block = small;
    if (most > sizeof small) {
      large.resize(most);
      block = large.data();
    }
    std::size_t bytes = pack(block, kernel, args, attr_bytes);
    SimStream& queue = static_cast<SimStream&>(stream);
    if (queue.is_timed()) {
      Cost cost = cost_of(args);
      queue.set_next_cost(cost.flops, cost.bytes);
    }
    return queue.submit(run_packed, block, bytes, relocate_packed);
  }

 private:
  static std::size_t pack(std::byte* block, const KernelEntry& kernel, const KernelArgs& args, std::size_t attr_bytes) {
    std::size_t n_arrays = static_cast<std::size_t>(args.n_in + args.n_out);
    PackedLaunch* launch = new (block) PackedLaunch{kernel.run, args};
    Array* arrays = reinterpret_cast<Array*>(block + sizeof(PackedLaunch));
    std::byte* end = reinterpret_cast<std::byte*>(arrays + n_arrays);
    launch->args.in = arrays;
    launch->args.out = arrays + args.n_in;
    launch->args.attrs = end;
    args.op->copy_attrs(end, args.attrs);
    end += attr_bytes;
    for (std::size_t i = 0; i < n_arrays; ++i) {
      const Array& from =
          i < static_cast<std::size_t>(args.n_in) ? args.in[i] : args.out[i - static_cast<std::size_t>(args.n_in)];
      arrays[i] = from;
      arrays[i].dims = reinterpret_cast<const int64_t*>(end);
      if (from.rank > 0) std::memcpy(end, from.dims, from.rank * sizeof(int64_t));
      end += from.rank * sizeof(int64_t);
      if (!from.immediate) continue;
      std::memcpy(end, from.data, size_of(from.dtype));
      arrays[i].data = end;
      end += kMostElementBytes;
    }
    return static_cast<std::size_t>(end - block);
  }
};

}  // namespace

const Backend& sim_backend() {
  static const SimBackend backend;
  return backend;
}

}  // namespace lutra
