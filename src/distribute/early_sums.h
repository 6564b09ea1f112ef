// The sums of one step's gradients over the ranks, which begin while the backward pass still runs: in buckets, in the
// order in which gradients become ready, by a thread that does nothing else. Each rank has one replica, on its CPU.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "autograd/tape.h"
#include "distribute/over_ranks.h"

namespace lutra {

class EarlySums final : public GradientListener {
 public:
  struct Entry {
    DType dtype;
    Shape shape;
  };

  explicit EarlySums(Context& context) : context_(context) {}
  ~EarlySums();
  EarlySums(const EarlySums&) = delete;

  // Before a backward pass: the gradients that it will compute, and the order in which an earlier pass did so, as their
  // places in the list. All ranks pass the same. Gradients that the order lacks are left out. Returns the number of
  // buckets. If that is less than 2, nothing begins: the pass only notes its order.
  std::size_t begin(std::vector<Entry> entries, std::span<const std::size_t> order, RankReplicas ranks);
  // During the pass.
  void ready(std::size_t entry, const Tensor& gradient) override;
  // After it: waits for all sums. Some have to be computed afterwards, the same on all ranks: those where a rank has no
  // gradient, and those that the order lacks. `left` gets their places. Fails as all_reduce_over_ranks.
  ReplicaTensors finish(std::vector<std::size_t>* left);
  // After an error instead: waits for the buckets that are complete, since ranks with the same error take part in the
  // same ones. `at_once`: this rank leaves them, and can take part in no other collective.
  void stop(bool at_once);

  // The order of the last pass.
  const std::vector<std::size_t>& order() const { return order_; }

 private:
  struct Bucket {
    DType dtype = DType::Float32;
    std::vector<std::size_t> entries, firsts;  // where each begins among the bucket's elements
    std::size_t count = 0;                     // of elements
    std::size_t missing = 0;                   // of entries
    std::vector<std::size_t> bounds;           // slices.h
    std::string shapes;
    Tensor flat;  // this rank's gradients, then the sums
    std::byte* data = nullptr;
    // Guarded by mutex_.
    bool is_decided = false;  // nothing will be added
    bool is_summed = false;
  };

  void make_buckets(std::span<const std::size_t> order);
  void complete(Bucket& bucket);
  void work(const std::stop_token& stop);
  void sum(Bucket& bucket, std::size_t number);
  void exchange_and_add(Bucket& bucket);
  void add(DType dtype, std::byte* into, std::byte* other, std::size_t count) const;
  // Lets the thread end what it does.
  void wait_until_idle();

  Context& context_;
  std::vector<Entry> entries_;
  std::optional<RankReplicas> ranks_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> bucket_of_;  // by entry: 0 if it has none, else 1 + its index
  std::vector<std::size_t> place_in_;   // by entry: where it begins in its bucket, in elements
  std::vector<Bucket> buckets_;
  bool is_running_ = false;
  std::atomic<bool> cancels_ = false;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::size_t next_ = 0;  // the bucket that is summed, or will be
  bool is_busy_ = false;  // with it
  std::exception_ptr failure_;
  std::unique_ptr<std::byte[]> incoming_;  // used by the thread
  std::size_t incoming_bytes_ = 0;
  std::jthread thread_;
};

}  // namespace lutra
