#include "graph/chains.h"

#include <algorithm>
#include <new>

#include "core/parallel.h"
#include "ops/elementwise.h"

namespace lutra::graph {
namespace {

constexpr int64_t kBlock = 2048;  // elements: four blocks of float32 lie in an L1 cache
// Smaller chains lie in the cache as a whole, and gain nothing.
constexpr int64_t kLeastSize = 16 * kBlock;
constexpr int kMostSlots = 8;
constexpr int64_t kBlocksAThread = 8;

bool may_join(const Step& step) {
  if (step.kind != Step::Kind::Launch || !is_elementwise(*step.op)) return false;
  if (may_find_fault(*step.op, step.in[0].dtype)) return false;
  if (!step.device->is_host() || step.out.size() != 1 || step.scratch_bytes > 0) return false;
  const int64_t size = step.out[0].size;
  if (size < kLeastSize) return false;
  return std::all_of(step.in.begin(), step.in.end(),
                     [&](const StepArray& in) { return in.size == size || in.size == 1; });
}

bool is_whole(const StepArray& array, int64_t size) { return array.size == size; }

// Whether the chain from `first` up to `next` may go on with step `next`: memory that a step of it writes must be read
// and written element by element alike.
bool fits(const Program& program, int first, int next) {
  const Step& joining = program.steps[static_cast<std::size_t>(next)];
  const int64_t size = joining.out[0].size;
  auto clash = [&](const StepArray& written, const StepArray& other) {
    if (written.place.cell < 0 || written.place.cell != other.place.cell) return false;
    return written.place.offset != other.place.offset || !is_whole(other, size) || written.dtype != other.dtype;
  };
  for (int i = first; i < next; ++i) {
    const Step& step = program.steps[static_cast<std::size_t>(i)];
    if (step.out[0].size != size) return false;
    for (const StepArray& in : joining.in) {
      if (clash(step.out[0], in)) return false;
    }
    if (clash(step.out[0], joining.out[0]) || clash(joining.out[0], step.out[0])) return false;
    for (const StepArray& in : step.in) {
      if (clash(joining.out[0], in)) return false;
    }
  }
  return true;
}

// The slots of a chain's cells that no step outside of it touches.
void give_slots(Program& program, Chain& chain) {
  std::vector<int> free, ends;
  std::vector<std::pair<int, int>> live;  // cell, last step
  const int steps = static_cast<int>(program.steps.size());
  for (int i = chain.first; i <= chain.last; ++i) {
    const StepArray& out = program.steps[static_cast<std::size_t>(i)].out[0];
    Cell& cell = program.cells[static_cast<std::size_t>(out.place.cell)];
    const bool is_inside = cell.kind == Cell::Kind::Made && !cell.is_own && !cell.is_fetched && cell.first == i &&
                           cell.last <= chain.last && cell.last < steps && out.place.offset == 0;
    if (is_inside && (!free.empty() || chain.slots < kMostSlots)) {
      if (free.empty()) free.push_back(chain.slots++);
      cell.slot = free.back();
      free.pop_back();
      live.emplace_back(out.place.cell, cell.last);
    }
    for (auto at = live.begin(); at != live.end();) {
      if (at->second > i) {
        ++at;
        continue;
      }
      free.push_back(program.cells[static_cast<std::size_t>(at->first)].slot);
      at = live.erase(at);
    }
  }
}

}  // namespace

void find_chains(Context&, Program& program) {
  const int steps = static_cast<int>(program.steps.size());
  for (int first = 0; first < steps;) {
    if (!may_join(program.steps[static_cast<std::size_t>(first)])) {
      ++first;
      continue;
    }
    int end = first + 1;
    while (end < steps && may_join(program.steps[static_cast<std::size_t>(end)]) && fits(program, first, end)) ++end;
    if (end - first > 1) {
      Chain chain{first, end - 1, program.steps[static_cast<std::size_t>(first)].out[0].size, 0};
      give_slots(program, chain);
      program.chains.push_back(chain);
    }
    first = end;
  }
}

void run_chain(const Chain& chain, const Program& program, std::span<const KernelArgs> steps) {
  std::size_t count = 0;
  for (const KernelArgs& step : steps) count += static_cast<std::size_t>(step.n_in + 1);
  constexpr std::size_t kSlotBytes = kBlock * kMostElementBytes;
  parallel_for(chain.size, kBlocksAThread * kBlock, kBlock, [&](int64_t begin, int64_t end) {
    struct Slots {
      explicit Slots(std::size_t bytes) : data(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{64}))) {}
      ~Slots() { ::operator delete (data, std::align_val_t{64}); }
      std::byte* data;
    } slots(static_cast<std::size_t>(std::max(chain.slots, 1)) * kSlotBytes);
    // What moves on from block to block: the array, and the bytes of its element.
    std::vector<Array> arrays;
    std::vector<KernelArgs> launches(steps.begin(), steps.end());
    std::vector<void (*)(const KernelArgs&)> kernels;
    std::vector<std::pair<Array*, int64_t>> moving;
    std::vector<Array*> whole;
    arrays.reserve(count);
    int64_t n = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& step = program.steps[static_cast<std::size_t>(chain.first) + i];
      kernels.push_back(step.kernel->run);
      launches[i].in = arrays.data() + arrays.size();
      auto add = [&](const Array& array, const StepArray& described) {
        arrays.push_back(array);
        Array& made = arrays.back();
        if (array.size != chain.size) return;
        const int slot = described.place.cell >= 0 ? program.cell(described.place).slot : -1;
        made.dims = &n;
        made.rank = 1;
        whole.push_back(&made);
        if (slot >= 0) {
          made.data = slots.data + static_cast<std::size_t>(slot) * kSlotBytes;
        } else {
          const auto element = static_cast<int64_t>(size_of(array.dtype));
          made.data += begin * element;
          moving.emplace_back(&made, element);
        }
      };
      for (int k = 0; k < steps[i].n_in; ++k) add(steps[i].in[k], step.in[static_cast<std::size_t>(k)]);
      launches[i].out = arrays.data() + arrays.size();
      add(steps[i].out[0], step.out[0]);
    }
    for (int64_t at = begin; at < end; at += n) {
      n = std::min(kBlock, end - at);
      for (Array* array : whole) array->size = n;
      for (std::size_t i = 0; i < launches.size(); ++i) kernels[i](launches[i]);
      for (auto& [array, element] : moving) array->data += n * element;
    }
  });
}

}  // namespace lutra::graph
