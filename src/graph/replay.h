// Runs a Program repeatedly: its launches in order, on memory that is planned beforehand. No Lua runs, no shapes are
// inferred and, on the CPU, memory is allocated only for results.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "device/stream_batch.h"
#include "eager/launch.h"
#include "graph/program.h"

namespace lutra::graph {

class Replay final : public IdleMemory {
 public:
  // `variables`: those of the program, in its order; they must live as long as this.
  Replay(Context& context, Program program, std::vector<TensorRep*> variables);
  ~Replay();
  Replay(const Replay&) = delete;

  const Program& program() const { return program_; }
  // Whether the devices are still those that it was recorded on.
  bool is_valid() const { return is_valid_; }
  // The program with its random numbers counted from the start of a call, as in a new recording.
  const Program& as_recorded();

  // Finds memory for the next run. May run finalizers.
  void prepare();
  // One replay, after prepare. `results` are empty; on an error they stay so. Fails (Cancelled) if the user interrupts
  // it: variables then have the values that they had reached.
  void run(std::span<const TensorRep* const> arguments, std::span<TensorRep* const> results);
  // After prepare and run, also if one of them failed.
  void end();
  bool is_busy() const { return is_busy_; }

  // The attributes of the optimiser's steps that take their numbers from that source.
  std::span<std::byte* const> steps_of(int source) const { return numbered_[static_cast<std::size_t>(source)]; }
  const OpDef* op_of(int source) const { return numbered_ops_[static_cast<std::size_t>(source)]; }
  // The first step of the program that takes numbers of the source.
  int first_step_of(int source) const { return numbered_first_[static_cast<std::size_t>(source)]; }
  int failed_step() const { return at_; }

  void release_idle(const LogicalDevice* device) override;
  void forget_devices() override;

 private:
  // Where a cell lies in this run.
  struct Base {
    std::byte* data = nullptr;
    Storage* storage = nullptr;
  };
  struct Patch {
    Array* array;
    Storage** storage;  // the launch's read or write; null: it has none
    std::size_t offset;
  };
  struct Node {
    void (*run)(const KernelArgs& args);  // null: not a launch
    KernelArgs args;
    int step;
    int chain;  // -1: none
  };
  struct Draw {
    Rng* rng;
    uint64_t counter;
  };

  void build();
  void add_node(Node node);
  void place_array(const StepArray& from, std::byte* literals);
  void move(int cell, Base base);
  void place_blocks();
  void settle_variables();
  bool are_settled() const;
  void begin(std::span<const TensorRep* const> arguments);
  void draw();
  void run_on_host();
  void run_other(const Node& node);
  void run_everywhere();
  void run_nodes();
  void find_batch();
  Storage* allocate(const Cell& cell);
  void place_fixed();
  void release_fixed();
  void drop_useless_fixed();
  bool fix_argument(int cell, const TensorRep& given);
  void give_fixed();
  Base base_for_caller(int cell, std::span<const TensorRep* const> arguments) const;
  bool can_repeat();
  void note_batch(bool is_whole);
  std::vector<std::byte> numbers() const;
  void launch(const Node& node, const Step& step);
  void copy(const Step& step);
  void assign(const Step& step);
  void give(const Program::Result& result, TensorRep* out, std::span<const TensorRep* const> arguments);

  Context& context_;
  Program program_;
  std::vector<TensorRep*> variables_;
  std::vector<Node> nodes_;
  std::vector<KernelArgs> chained_;  // the launches of each chain, one chain after the other
  std::vector<std::size_t> chain_starts_;
  std::vector<Array> arrays_;
  std::vector<int64_t> dims_;
  std::vector<Storage*> storages_;                 // the launches' reads and writes
  std::vector<std::vector<Patch>> patches_;        // by cell
  std::vector<Base> bases_;                        // by cell
  std::vector<std::unique_ptr<Storage>> planned_;  // stand for cells in blocks on GPUs
  std::vector<Storage*> blocks_;                   // by Program::blocks
  std::vector<int> own_, arguments_, fetched_;
  std::vector<Storage*> held_;  // during a run
  struct Small {
    alignas(16) std::byte bytes[kInlineBytes];
  };
  std::deque<Small> small_;  // arguments that carry their bytes
  std::vector<Draw> draws_;
  std::vector<std::vector<std::byte*>> numbered_;
  std::vector<const OpDef*> numbered_ops_;
  std::vector<int> numbered_first_;
  Fault fault_;
  int at_ = 0;
  // If all launches are on one GPU: the stream that can take them together, and what it keeps of the last run.
  BatchingStream* batching_ = nullptr;
  std::unique_ptr<CommandBatch> kept_;
  LogicalDevice* batch_device_ = nullptr;
  // In batches arguments and results have memory that stays, as far as they fit (Note [Replays in batches]).
  bool has_fixed_ = false;
  int misses_ = 0;               // runs in a row that did not repeat the batch of the run before
  std::vector<Storage*> fixed_;  // by cell; null: none
  std::vector<Storage*> fresh_;  // by own_: what a result that has fixed memory is copied to
  bool is_batch_whole_ = false;
  bool has_moved_ = false;               // some cell, since then
  bool has_fresh_args_ = false;          // some launch has arguments that differ at each run
  std::vector<std::byte> kept_numbers_;  // the optimisers' in that run
  bool is_placed_ = false;
  bool is_busy_ = false;
  bool is_valid_ = true;
};

}  // namespace lutra::graph
