// A recorded function as data: the launches that it submitted, and the cells of memory that they read and write. It has
// no Lua, and of the user's tensors only the constants. Placing, drawing and replaying read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "eager/context.h"
#include "eager/placement.h"
#include "ops/kernel.h"

namespace lutra::graph {

// A unit of memory: what was one Storage when the launches were recorded. A cell may be written more than once (a
// variable that is updated in place); since the steps keep their order, each reader sees the value that it saw then.
struct Cell {
  enum class Kind : uint8_t {
    Made,      // written by a step; its memory is found for each replay, or planned
    Argument,  // of the call
    Variable,  // what the variable holds when the call begins
    Constant,  // a tensor from outside, or one that the function makes from Lua values
  };
  Kind kind = Kind::Made;
  bool is_own = false;      // Made: gets a Storage of its own at each replay, as it outlives the replay
  bool is_written = false;  // Variable: some step writes over it
  bool is_fetched = false;  // Made: a copy step brings it, and its Storage
  uint16_t device = 0;
  int index = -1;  // of the argument or variable
  std::size_t bytes = 0;
  int first = -1, last = -1;  // the steps that touch it; last is the number of steps if it is a result
  std::size_t offset = 0;     // in the device's block, if it is planned
  int slot = -1;              // of a chain's blocks, if it exists only block by block
  Tensor constant;            // Constant
};

// Where an array begins.
struct CellPlace {
  int cell = -1;  // -1: in Step::literals, at `offset`
  std::size_t offset = 0;
};

struct StepArray {
  CellPlace place;
  DType dtype = DType::Float32;
  uint8_t rank = 0;
  bool immediate = false;
  bool has_dims = true;
  int64_t size = 0;
  int64_t dims[kMaxRank];

  Shape shape() const { return Shape({dims, rank}); }
};

// What a replay does, in order.
struct Step {
  enum class Kind : uint8_t {
    Launch,
    Copy,    // out[0] becomes a copy of in[0] on `device`
    Assign,  // the variable takes the bytes of in[0]
  };
  Kind kind = Kind::Launch;
  bool is_inner = false;  // a cast within an op
  const OpDef* op = nullptr;
  const KernelEntry* kernel = nullptr;
  LogicalDevice* device = nullptr;
  MatmulPrecision precision = MatmulPrecision::Tf32;
  std::vector<StepArray> in, out;
  std::vector<std::byte> attrs;     // self-contained, but for an Ints' pointer
  std::vector<std::byte> literals;  // the bytes of numbers and small constants, 16 each or as many as they need
  std::size_t scratch_bytes = 0;
  int scratch = -1;  // the cell
  int variable = -1;
  int rng_at = -1;    // where the attributes hold an Rng whose counter counts from where the call began
  int numbers = -1;   // an optimiser's step: the source of its numbers
  uint32_t line = 0;  // in Program::lines
  Cost cost;
};

// Elementwise steps that are run block by block (graph/chains.h).
struct Chain {
  int first = 0, last = 0;  // steps
  int64_t size = 0;         // elements of each result
  int slots = 0;            // blocks of intermediate results that are alive at once
};

struct Program {
  MeteredBytes metered;  // of the steps
  struct Variable {
    uint64_t identity = 0;
    int cell = -1;               // what it holds at the start
    int last = -1;               // the cell that it holds at the end
    int first_assign = -1;       // the step that first gives it another cell
    bool needs_storage = false;  // its first value is read after it has got another: it must not be stored inline
    TensorRep like;              // its dtype, shape and device
  };
  // A result that is a tensor of its own.
  struct Result {
    CellPlace place;
    TensorRep like;  // dtype, shape and device; no storage
    const char* op = nullptr;
    uint32_t spec = 0;
    uint32_t line = 0;
    Reason reason = Reason::OnlyCpu;
  };

  std::vector<Step> steps;
  std::vector<Cell> cells;
  std::vector<Variable> variables;  // only those that it uses
  std::vector<Result> results;
  std::vector<std::string> lines;              // "train.lua:7"; the first is ""
  uint64_t random_blocks = 0;                  // that a call takes from the sequence, if it is not seeded
  bool is_seeded = false;                      // a step seeds it
  uint64_t seed_after = 0, counter_after = 0;  // if so: where the sequence stands after the call
  bool has_copies = false;
  bool is_host_only = true;
  int number_sources = 0;
  std::size_t eager_bytes = 0;  // the most that the recorded call held at once, of all devices together
  struct Block {                // the memory of a device's planned cells
    LogicalDevice* device;
    std::size_t bytes;
    std::size_t unshared;  // what the cells would take without reuse
  };
  std::vector<Block> blocks;
  std::vector<Chain> chains;  // in the order of their steps

  const Cell& cell(const CellPlace& place) const { return cells[static_cast<std::size_t>(place.cell)]; }
};

// What the first difference of two recordings is, a clause for users; "": they execute the same steps, whatever the
// values of arguments and variables.
std::string difference_of(Context& context, const Program& a, const Program& b);
// Whether two recordings of a function execute the same steps, whatever the values of arguments and variables.
bool does_the_same(Context& context, const Program& a, const Program& b);

// Finds each cell's first and last step, decides which cells get a Storage of their own, and where in the devices'
// blocks the others lie: cells that are never needed at once share memory.
void plan_memory(Context& context, Program& program);

// A table for people: ops, bytes.
std::string summary_of(const Program& program);
// In the language of Graphviz' dot.
std::string drawing_of(const Program& program, std::string_view name);

}  // namespace lutra::graph
