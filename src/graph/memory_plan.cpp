// Where a replay's cells lie. In the order of the steps a cell takes its place at the first step that touches it, and
// leaves it after the last: the smallest gap that it fits into, else the end of the block.
#include <algorithm>
#include <map>

#include "graph/chains.h"
#include "graph/program.h"

namespace lutra::graph {
namespace {

constexpr std::size_t kHostAlignment = 64, kDeviceAlignment = 256;

class Block {
 public:
  std::size_t take(std::size_t bytes) {
    auto best = gaps_.end();
    for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
      if (gap->second >= bytes && (best == gaps_.end() || gap->second < best->second)) best = gap;
    }
    std::size_t at = end_;
    if (best != gaps_.end()) {
      at = best->first;
      const std::size_t rest = best->second - bytes;
      gaps_.erase(best);
      if (rest > 0) gaps_.emplace(at + bytes, rest);
    } else {
      // A gap at the end grows.
      if (auto last = gaps_.rbegin(); last != gaps_.rend() && last->first + last->second == end_) {
        at = last->first;
        gaps_.erase(at);
      }
      end_ = at + bytes;
    }
    return at;
  }

  void give_back(std::size_t at, std::size_t bytes) {
    auto after = gaps_.lower_bound(at);
    if (after != gaps_.end() && at + bytes == after->first) {
      bytes += after->second;
      after = gaps_.erase(after);
    }
    if (after != gaps_.begin()) {
      auto before = std::prev(after);
      if (before->first + before->second == at) {
        before->second += bytes;
        return;
      }
    }
    gaps_.emplace(at, bytes);
  }

  std::size_t end() const { return end_; }

 private:
  std::map<std::size_t, std::size_t> gaps_;  // by offset: bytes
  std::size_t end_ = 0;
};

void find_lives(Program& program, std::vector<int>* last_writes) {
  last_writes->assign(program.cells.size(), -1);
  auto touch = [&](int cell, int step) {
    if (cell < 0) return;
    Cell& touched = program.cells[static_cast<std::size_t>(cell)];
    if (touched.first < 0) touched.first = step;
    touched.last = std::max(touched.last, step);
  };
  const int end = static_cast<int>(program.steps.size());
  for (int i = 0; i < end; ++i) {
    const Step& step = program.steps[static_cast<std::size_t>(i)];
    for (const StepArray& in : step.in) touch(in.place.cell, i);
    for (const StepArray& out : step.out) {
      touch(out.place.cell, i);
      if (out.place.cell >= 0) (*last_writes)[static_cast<std::size_t>(out.place.cell)] = i;
    }
    touch(step.scratch, i);
  }
  for (const Program::Result& result : program.results) touch(result.place.cell, end);
}

// Which cells outlive a replay: those that hold a large result, or that a variable takes.
void find_owners(Context& context, Program& program, const std::vector<int>& last_writes) {
  for (Program::Variable& variable : program.variables) {
    const Cell& first = program.cells[static_cast<std::size_t>(variable.cell)];
    variable.needs_storage = variable.first_assign >= 0 && first.last > variable.first_assign;
  }
  auto is_small = [&](std::size_t bytes, uint16_t device) {
    return fits_inline(bytes) && context.runtime().device(device).is_host();
  };
  for (const Program::Result& result : program.results) {
    Cell& cell = program.cells[static_cast<std::size_t>(result.place.cell)];
    if (!is_small(result.like.nbytes(), result.like.device)) cell.is_own |= cell.kind == Cell::Kind::Made;
  }
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    if (step.kind != Step::Kind::Assign) continue;
    const StepArray& from = step.in[0];
    Cell& cell = program.cells[static_cast<std::size_t>(from.place.cell)];
    const Program::Variable& variable = program.variables[static_cast<std::size_t>(step.variable)];
    const std::size_t bytes = static_cast<std::size_t>(from.size) * size_of(from.dtype);
    const bool is_copied = is_small(bytes, variable.like.device) && !variable.needs_storage &&
                           last_writes[static_cast<std::size_t>(from.place.cell)] < static_cast<int>(i);
    if (!is_copied) cell.is_own |= cell.kind == Cell::Kind::Made;
  }
}

}  // namespace

void plan_memory(Context& context, Program& program) {
  std::vector<int> last_writes;
  find_lives(program, &last_writes);
  find_owners(context, program, last_writes);
  find_chains(context, program);
  std::map<uint16_t, Block> blocks;
  std::map<uint16_t, std::size_t> unshared;
  // By step: the cells that begin and end there. The steps of a chain go on at once, block by block.
  const std::size_t steps = program.steps.size();
  std::vector<std::vector<int>> begins(steps), ends(steps);
  std::vector<std::size_t> first_of(steps), last_of(steps);
  for (std::size_t i = 0; i < steps; ++i) first_of[i] = last_of[i] = i;
  for (const Chain& chain : program.chains) {
    for (int i = chain.first; i <= chain.last; ++i) {
      first_of[static_cast<std::size_t>(i)] = static_cast<std::size_t>(chain.first);
      last_of[static_cast<std::size_t>(i)] = static_cast<std::size_t>(chain.last);
    }
  }
  auto bytes_of = [&](const Cell& cell) {
    const std::size_t step = context.runtime().device(cell.device).is_host() ? kHostAlignment : kDeviceAlignment;
    return std::max<std::size_t>(step, (cell.bytes + step - 1) / step * step);
  };
  for (std::size_t i = 0; i < program.cells.size(); ++i) {
    const Cell& cell = program.cells[i];
    if (cell.kind != Cell::Kind::Made || cell.is_own || cell.is_fetched || cell.first < 0) continue;
    unshared[cell.device] += bytes_of(cell);
    if (cell.slot >= 0) continue;
    begins[first_of[static_cast<std::size_t>(cell.first)]].push_back(static_cast<int>(i));
    const auto last = static_cast<std::size_t>(cell.last);
    if (last < steps) ends[last_of[last]].push_back(static_cast<int>(i));
  }
  for (std::size_t i = 0; i < steps; ++i) {
    for (int begun : begins[i]) {
      Cell& cell = program.cells[static_cast<std::size_t>(begun)];
      cell.offset = blocks[cell.device].take(bytes_of(cell));
    }
    for (int ended : ends[i]) {
      const Cell& cell = program.cells[static_cast<std::size_t>(ended)];
      blocks[cell.device].give_back(cell.offset, bytes_of(cell));
    }
  }
  for (const auto& [device, block] : blocks) {
    program.blocks.push_back({&context.runtime().device(device), block.end(), unshared[device]});
  }
}

}  // namespace lutra::graph
