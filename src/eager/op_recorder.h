// Records the ops that a function runs as a graph, for a plan: who reads whose result, what each op computes and takes.
// Ops run as they would without it, one launch at a time on the CPU and as ever on GPUs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "device/stream_times.h"
#include "eager/context.h"
#include "eager/observer.h"
#include "eager/placement_policy.h"

namespace lutra {

// A tensor that an op reads: the result of a recorded op, or something that was there before.
struct RecordedSource {
  enum Kind : uint8_t { kOp, kOutside };
  Kind kind;
  int index;
};

struct RecordedOp {
  const OpDef* op;
  std::string name;       // as the placement log prints it
  std::string line;       // of the script, if known
  std::string inputs;     // shapes and dtypes, for comparison and error texts: "(8, 4) float32, 2"
  std::string outputs;    // "(8, 2) float32"
  std::string requested;  // the scope; "": none
  uint16_t device;
  Reason reason;
  DType key;
  bool is_open;  // the policy was asked for its place
  bool has_cpu_kernel, has_gpu_kernel;
  double bytes = 0;                     // of its results
  double flops = 0, touched_bytes = 0;  // of all its launches (cost_of)
  double us = 0;                        // what its launches took
  int64_t start_ns = 0;                 // of the first launch; 0: it had none
  int launches = 0;
  std::vector<RecordedSource> reads;
  std::vector<int> writes;  // variables, as indices of outside tensors
};

struct RecordedOutside {
  uint64_t variable = 0;  // its identity; 0: no variable
  uint16_t device = 0;
  double bytes = 0;
  bool is_new = false;   // made while the recording ran, not by an op: a constant
  std::string text;      // shape and dtype
  int last_writer = -1;  // the op that wrote the variable last
};

class OpRecorder final : public PlacementPolicy, private Observer {
 public:
  // Times of GPUs' launches are noted by their streams; where somebody else uses those times, each launch is waited
  // for.
  explicit OpRecorder(Context& context);
  ~OpRecorder() override;

  // Waits for the devices, and completes the times. No more ops are recorded.
  void finish();
  const std::vector<RecordedOp>& ops() const { return ops_; }
  const std::vector<RecordedOutside>& outside() const { return outside_; }
  // Whether a variable was made: what a first call does, later ones perhaps not.
  bool made_variables() const { return made_variables_; }
  // The op that made the tensor, or -1.
  int maker(const TensorRep& tensor) const;
  // The tensor's place in outside(), or -1.
  int find_outside(const TensorRep& tensor) const;
  // Decides where ops run while they are recorded; it must live until finish().
  void set_inner(PlacementPolicy* inner) { inner_ = inner; }
  // Ops whose place is open run on the device while they are recorded.
  void run_on(LogicalDevice* device) { forced_ = device; }
  // From the start to the last result, and the host's own time for an op: the median, or the least of few.
  double total_us() const { return static_cast<double>(ended_ns_ - began_ns_) * 1e-3; }
  double issue_us() const;
  int64_t began_ns() const { return began_ns_; }

  LogicalDevice* place(const OpDef& op, DType key, const Call* call, std::span<LogicalDevice* const> allowed) override {
    was_asked_ = true;
    const bool is_allowed = forced_ != nullptr && std::find(allowed.begin(), allowed.end(), forced_) != allowed.end();
    if (is_allowed) return forced_;
    return inner_ != nullptr ? inner_->place(op, key, call, allowed) : nullptr;
  }
  void executed(const Call& call, const Prepared& prepared, TensorRep* const* outs) override;

 private:
  void launches(const Launch& launch) override;
  void launched(const Launched& launched) override;
  void mirrored(const TensorRep& tensor, Storage& copy) override { copies_[&copy] = tensor; }
  void freed(const Storage& storage) override;
  void makes_variable() override { made_variables_ = true; }
  bool checks() const override { return true; }  // an optimiser's step of each variable is an op of its own

  // A launch whose time its stream has.
  struct Timed {
    TimedStream* stream;
    uint64_t seq;
    int op;
  };
  RecordedSource source_of(const TensorRep& tensor);
  int outside_index(const TensorRep& tensor);

  Context& context_;
  std::vector<RecordedOp> ops_;
  std::vector<RecordedOutside> outside_;
  std::unordered_map<uint32_t, RecordedSource> by_origin_;
  std::unordered_map<uint64_t, int> by_variable_;
  std::unordered_map<const void*, int> by_storage_;
  std::unordered_map<const Storage*, TensorRep> copies_;  // on other devices: what they are copies of, while both live
  std::vector<Timed> pending_;
  std::vector<TimedStream*> noting_;
  uint32_t first_origin_;
  PlacementPolicy* inner_ = nullptr;
  LogicalDevice* forced_ = nullptr;
  bool was_asked_ = false;
  bool made_variables_ = false;
  bool is_finished_ = false;
  // Of the launches since the last op.
  double flops_ = 0, touched_ = 0, us_ = 0;
  int launches_ = 0;
  int64_t start_ns_ = 0;
  int64_t launched_ns_ = 0;
  std::vector<double> gaps_us_;
  int64_t began_ns_, ended_ns_ = 0;
};

// The operands of a call, as RecordedOp::inputs.
std::string operands_text(const Call& call);

}  // namespace lutra
