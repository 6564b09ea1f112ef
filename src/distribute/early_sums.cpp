#include "distribute/early_sums.h"

#include <algorithm>
#include <cstring>

#include "core/blocked_signals.h"
#include "distribute/flat.h"
#include "distribute/slices.h"

namespace lutra {
namespace {

// The first bucket is small, so that sums begin early; others are larger if there is much to sum.
constexpr std::size_t kFirstBytes = std::size_t{1} << 20, kMostBytes = std::size_t{25} << 20;
constexpr std::size_t kBuckets = 8;
constexpr std::size_t kMostDescribed = 4;

}  // namespace

EarlySums::~EarlySums() {
  stop(true);
  thread_.request_stop();
  changed_.notify_all();
}

void EarlySums::make_buckets(std::span<const std::size_t> order) {
  buckets_.clear();
  bucket_of_.assign(entries_.size(), 0);
  place_in_.assign(entries_.size(), 0);
  std::size_t all = 0;
  for (const Entry& entry : entries_) all += static_cast<std::size_t>(entry.shape.size()) * size_of(entry.dtype);
  for (const std::size_t i : order) {
    require(i < entries_.size() && bucket_of_[i] == 0, "early_sums: the order has ", i, " twice, or no such entry");
    const Entry& entry = entries_[i];
    const auto size = static_cast<std::size_t>(entry.shape.size());
    const std::size_t most = buckets_.size() <= 1 ? kFirstBytes : std::clamp(all / kBuckets, kFirstBytes, kMostBytes);
    if (buckets_.empty() || buckets_.back().dtype != entry.dtype ||
        (buckets_.back().count + size) * size_of(entry.dtype) > most) {
      buckets_.emplace_back().dtype = entry.dtype;
    }
    Bucket& bucket = buckets_.back();
    bucket_of_[i] = buckets_.size();
    bucket.entries.push_back(i);
    bucket.count += size;
  }
}

// Once the bucket has all its entries.
void EarlySums::complete(Bucket& bucket) {
  const auto size = static_cast<std::size_t>(ranks_->cluster.size());
  bucket.bounds = slice_bounds(bucket.count, size);
  if (!ranks_->owners.empty()) {
    bucket.bounds =
        sort_by_owner(bucket.entries, ranks_->owners, size, [this](std::size_t i) { return entries_[i].shape; });
  }
  std::size_t at = 0;
  for (const std::size_t i : bucket.entries) {
    bucket.firsts.push_back(place_in_[i] = at);
    at += static_cast<std::size_t>(entries_[i].shape.size());
    if (bucket.firsts.size() > kMostDescribed) continue;
    append(bucket.shapes, text(bucket.shapes.empty() ? ": " : ", ", entries_[i].dtype, " ", entries_[i].shape));
  }
  if (bucket.entries.size() > kMostDescribed) append(bucket.shapes, ", ...");
  bucket.missing = bucket.entries.size();
  bucket.flat = host_tensor(context_, bucket.dtype, bucket.count);
  bucket.data = bytes_of(bucket.flat);
}

std::size_t EarlySums::begin(std::vector<Entry> entries, std::span<const std::size_t> order, RankReplicas ranks) {
  context_.cannot_repeat("it sums over several processes");
  stop(true);
  order_.clear();
  entries_ = std::move(entries);
  std::lock_guard lock(mutex_);
  next_ = 0;
  failure_ = nullptr;
  make_buckets(order);
  if (buckets_.size() < 2) {
    buckets_.clear();
    return 0;
  }
  ranks_.emplace(std::move(ranks));
  for (Bucket& bucket : buckets_) complete(bucket);
  cancels_ = false;
  is_running_ = true;
  if (!thread_.joinable()) {
    const BlockedSignals for_the_thread;
    thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
  }
  ranks_->cluster.lend_to(thread_.get_id());
  return buckets_.size();
}

void EarlySums::ready(std::size_t entry, const Tensor& gradient) {
  order_.push_back(entry);
  if (!is_running_ || entry >= entries_.size() || bucket_of_[entry] == 0) return;
  const TensorRep& rep = gradient.rep();
  if (rep.dtype != entries_[entry].dtype || rep.shape() != entries_[entry].shape) return;
  Bucket& bucket = buckets_[bucket_of_[entry] - 1];
  const TensorRep* const tensors[] = {&rep};
  context_.runtime().transfer().read_all(context_, tensors, bucket.data + place_in_[entry] * size_of(bucket.dtype));
  if (--bucket.missing > 0) return;
  std::lock_guard lock(mutex_);
  bucket.is_decided = true;
  changed_.notify_all();
}

// The thread. It knows nothing of tensors: a Context is for one thread.
void EarlySums::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  auto has_work = [this] { return !failure_ && next_ < buckets_.size() && buckets_[next_].is_decided; };
  while (changed_.wait(lock, stop, has_work)) {
    const std::size_t number = next_;
    Bucket& bucket = buckets_[number];
    is_busy_ = true;
    lock.unlock();
    std::exception_ptr failure;
    try {
      sum(bucket, number);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    failure_ = failure;
    is_busy_ = false;
    ++next_;
    changed_.notify_all();
  }
}

void EarlySums::sum(Bucket& bucket, std::size_t number) {
  const bool is_complete = bucket.missing == 0;
  Meeting meeting{.what = text(ranks_->what, " of ", bucket.entries.size(),
                               bucket.entries.size() == 1 ? " tensor" : " tensors", bucket.shapes),
                  .where = ranks_->where,
                  .equal = text(ranks_->equal, "\nbucket ", number, " of ", buckets_.size(), "\n", bucket.count),
                  .is_complete = is_complete,
                  .seconds = ranks_->seconds};
  if (is_complete) meeting.check = std::hash<std::string>()(bucket.shapes) | 1;
  if (!ranks_->cluster.meet(meeting, [this] { return cancels_.load(); }).is_complete) return;
  if (bucket.count > 0) exchange_and_add(bucket);
  std::lock_guard lock(mutex_);
  bucket.is_summed = true;
}

void EarlySums::exchange_and_add(Bucket& bucket) {
  Cluster& cluster = ranks_->cluster;
  const auto rank = static_cast<std::size_t>(cluster.rank());
  const Slices slices(bucket.bounds, size_of(bucket.dtype), rank);
  const std::size_t incoming = slices.bytes(rank) * slices.ranks();
  if (incoming_bytes_ < incoming) {
    incoming_bytes_ = incoming;
    incoming_ = std::make_unique_for_overwrite<std::byte[]>(incoming_bytes_);
  }
  auto exchange = [&](const std::vector<Piece>& sends, const std::vector<Piece>& receives) {
    cluster.exchange(sends, receives, [this] { return cancels_.load(); });
  };
  auto add_slice = [&](std::byte* into, std::byte* other) { add(bucket.dtype, into, other, slices.count(rank)); };
  sum_by_owners(slices, bucket.data, incoming_.get(), ranks_->owners.empty(), exchange, add_slice);
}

// With the kernel of AddN, so that the bits are those of sums after the backward pass.
void EarlySums::add(DType dtype, std::byte* into, std::byte* other, std::size_t count) const {
  if (count == 0) return;
  const auto length = static_cast<int64_t>(count);
  const int64_t dims[] = {length};
  const Array in[] = {{into, dims, length, dtype, 1, false}, {other, dims, length, dtype, 1, false}};
  const OpDef& op = context_.runtime().ops().get("AddN");
  KernelArgs args{};
  args.op = &op;
  args.in = in;
  args.out = in;
  args.n_in = 2;
  args.n_out = 1;
  context_.runtime().kernels().find(DeviceType::CPU, op, dtype).run(args);
}

void EarlySums::wait_until_idle() {
  std::unique_lock lock(mutex_);
  auto is_idle = [this] { return !is_busy_ && (failure_ || next_ == buckets_.size() || !buckets_[next_].is_decided); };
  while (!changed_.wait_for(lock, std::chrono::milliseconds(20), is_idle)) {
    if (context_.take_interrupt()) cancels_ = true;
  }
  is_running_ = false;
}

ReplicaTensors EarlySums::finish(std::vector<std::size_t>* left) {
  ReplicaTensors sums(entries_.size());
  if (!is_running_) return sums;
  {
    std::lock_guard lock(mutex_);
    for (Bucket& bucket : buckets_) bucket.is_decided = true;
    changed_.notify_all();
  }
  ranks_->cluster.hurry();
  wait_until_idle();
  ranks_->cluster.take_back();
  // Where all ranks are interrupted, each is to tell what it waited for, not that another one has failed.
  if (failure_ && !cancels_ && context_.take_interrupt()) {
    fail(ErrorCode::Cancelled, "interrupted! Rank ", ranks_->cluster.rank(), " waited in ", ranks_->what, " (",
         ranks_->where, ") for the others");
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  if (cancels_) {
    fail(ErrorCode::Cancelled, "interrupted! Rank ", ranks_->cluster.rank(), " was in ", ranks_->what, " (",
         ranks_->where, ")");
  }
  const auto rank = static_cast<std::size_t>(ranks_->cluster.rank());
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (bucket_of_[i] == 0 || !buckets_[bucket_of_[i] - 1].is_summed) left->push_back(i);
  }
  for (const Bucket& bucket : buckets_) {
    if (!bucket.is_summed) continue;
    for (std::size_t k = 0; k < bucket.entries.size(); ++k) {
      const std::size_t i = bucket.entries[k];
      if (!ranks_->owners.empty() && ranks_->owners[i] != rank) continue;
      sums[i] = part_of(context_, bucket.flat, bucket.firsts[k], entries_[i].shape);
    }
  }
  std::lock_guard lock(mutex_);
  buckets_.clear();
  return sums;
}

void EarlySums::stop(bool at_once) {
  if (!is_running_) return;
  if (at_once) cancels_ = true;
  ranks_->cluster.hurry();
  wait_until_idle();
  ranks_->cluster.take_back();
  std::lock_guard lock(mutex_);
  failure_ = nullptr;
  buckets_.clear();
}

}  // namespace lutra
