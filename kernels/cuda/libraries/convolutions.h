// Convolutions on one card, by cuDNN. For each kind of convolution the library is asked once how to compute it; the
// answer, a plan, is cached. Used by one thread at a time, in the card's context.
//
// It is no error if the library cannot compute a convolution: the caller then uses another method. Results are the same
// every time: non-deterministic algorithms are not used.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "kernels/cuda/libraries/convolution.h"
#include "kernels/cuda/libraries/cudnn.h"

namespace lutra::cuda {

// Shown if there is no cuDNN.
inline constexpr const char* kWithoutCudnn = "convolutions are laid out and multiplied by cuBLASLt";

class Convolutions {
 public:
  // When more plans than this are cached, all are dropped.
  static constexpr std::size_t kMostPlans = 4096;

  // Returns null, and sets *why, if the library gives no handle.
  static std::unique_ptr<Convolutions> create(const Cudnn& library, std::string* why);
  ~Convolutions();
  Convolutions(const Convolutions&) = delete;

  // Whether the library can compute it; if not, *why is the reason.
  bool can(const Convolution& convolution, std::string* why);

  enum class Answer {
    Queued,
    Refused,  // nothing was queued
    Failed,
  };
  // Queues it if the library can compute it, else sets *why.
  Answer convolve(const Convolution& convolution, StreamHandle stream, std::string* why);

  std::size_t plans() const { return plans_.size(); }

 private:
  // All that the choice of an algorithm depends on.
  struct Key {
    int64_t batch, channels, out, groups, axes[2][6];
    uint64_t workspace_bytes;
    uint64_t kind_dtype_precision;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  struct Plan;

  Convolutions(const Cudnn& library, DnnHandle handle);
  // Returns null, and sets *why, if the library cannot compute it.
  Plan* plan_for(const Convolution& convolution, std::string* why);
  static Key key_of(const Convolution& convolution);
  std::unique_ptr<Plan> make_plan(const Convolution& convolution) const;
  DnnStatus list(const Convolution& convolution, const Plan& plan, ConvolutionChoice* found, int* count) const;
  DnnStatus ask_workspace(const Convolution& convolution, const Plan& plan, int algorithm, std::size_t* bytes) const;
  DnnStatus choose(const Convolution& convolution, Plan& plan) const;
  DnnStatus run(const Convolution& convolution, const Plan& plan) const;
  std::string told(const char* what, const Convolution& convolution, DnnStatus status) const;

  const Cudnn& library_;
  DnnHandle handle_;
  std::unordered_map<Key, std::unique_ptr<Plan>, Hash> plans_;
};

}  // namespace lutra::cuda
