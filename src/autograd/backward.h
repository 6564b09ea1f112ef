// One backward pass: a walk over the records of a tape, from the last to the first.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "eager/context.h"
#include "ops/slice.h"

namespace lutra {

class CustomGradients;
class GradientListener;

class Backward {
 public:
  // `consumes`: tensors that records have saved are released during the walk.
  Backward(Context& context, Ledger::Tapes tape, bool consumes, CustomGradients* custom);
  ~Backward();
  Backward(const Backward&) = delete;

  // Starts the gradient of `target` with `seed` (null: ones). Ignores a target that the tape does not watch.
  void seed(const TensorRep& target, const TensorRep* seed);
  // `listener` may be null.
  std::vector<std::optional<Tensor>> run(std::span<const TensorRep* const> sources, GradientListener* listener);

 private:
  friend class TapeGradient;
  // The index of a value in the lists below; 0 if the tape does not watch it, or it was made after the walk began.
  std::size_t place_of(uint64_t value) const;
  std::size_t source_place(const TensorRep& source) const;
  // Null: none yet.
  Tensor* gradient_at(std::size_t place) { return slots_[place] != 0 ? &gradients_[slots_[place] - 1] : nullptr; }
  void put_gradient(std::size_t place, Tensor gradient);
  void drop_gradient(std::size_t place);
  // Throws if the walk must end: a finalizer has closed the tape, or the user has interrupted.
  void check_may_go_on() const;
  // Which values depend on a source. Counts in uses_ how many ops have read each of them.
  std::vector<bool> find_needed(std::span<const TensorRep* const> sources);
  // The records after which the walk adds nothing to a source's gradient, with the source; the walk's first at the end.
  struct LastRecord {
    std::size_t record, source;
  };
  std::vector<LastRecord> last_records(std::span<const TensorRep* const> sources) const;
  void accumulate(std::size_t place, Tensor gradient, LogicalDevice& device);
  // Calls the user's function that a record names.
  void run_custom(const Record& record, const std::vector<bool>& needed);
  // Adds to a slice of the gradient of a recorded input.
  void accumulate_part(const Recorded& whole, const SliceAttrs& part, const Tensor& gradient, LogicalDevice& device);
  // Whether a^T b for this place should be gathered with others (products.cpp).
  bool gathers(std::size_t place, const TensorRep& a) const;
  void gather_product(std::size_t place, Tensor a, Tensor b, LogicalDevice& device);
  // The cached transpose of a matrix, to multiply `rows` and later rows with; null if that does not pay.
  const Tensor* transposed(std::size_t place, const Tensor& matrix, const TensorRep& rows, LogicalDevice& device);
  // Completes a gradient before it is read: adds its gathered products, and rounds a sum kept in float32.
  void complete(std::size_t place) {
    if (!products_.empty()) [[unlikely]]
      multiply_gathered(place);
    if (!widened_.empty()) [[unlikely]]
      round_sum(place);
  }
  // The gradient there, to add another one to. A sum of many halves is kept in float32, since a half sum that has grown
  // would round each small summand away.
  Tensor* sum_at(std::size_t place);
  void round_sum(std::size_t place);
  void multiply_gathered(std::size_t place);

  struct Turned {
    Tensor matrix, transpose;
  };
  // Products a^T b for one gradient, to be computed as one product of all rows.
  struct Products {
    std::vector<Tensor> a, b;
    int64_t rows;
    LogicalDevice* device;
  };

  Context& context_;
  Ledger& ledger_;
  const Ledger::Tapes tape_;
  const bool consumes_;
  CustomGradients* const custom_;
  // The tape's range of the ledger: from where the tape began to where the walk started; and earlier values it watches.
  const std::size_t first_record_, records_;
  const uint64_t first_value_, values_end_;
  const uint64_t serial_;                // of the tape
  const std::vector<uint64_t> earlier_;  // in order
  std::vector<uint32_t> slots_;          // by place: 1 + the index in gradients_; 0: none
  std::vector<Tensor> gradients_;
  std::vector<uint32_t> free_slots_;
  std::vector<Tensor> tensors_;                         // of the running rule
  std::vector<uint8_t> uses_;                           // by place; 255: 255 or more
  std::unordered_map<std::size_t, Products> products_;  // by place
  std::unordered_map<std::size_t, Turned> transposed_;  // by place
  std::unordered_map<std::size_t, DType> widened_;      // by place: the dtype that a sum in float32 is rounded to
};

}  // namespace lutra
