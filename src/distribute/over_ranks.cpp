#include "distribute/over_ranks.h"

#include <cstring>
#include <deque>
#include <map>

#include "distribute/flat.h"
#include "distribute/slices.h"
#include "distribute/sum_tree.h"
#include "eager/executor.h"
#include "eager/move_tensor.h"

namespace lutra {
namespace {

// Up to this size every rank sends its numbers to all others, who add all of them: one exchange in place of two.
constexpr std::size_t kSmallMessageBytes = std::size_t{16} << 10;
constexpr std::size_t kMostEntriesDescribed = 4;

std::string description(const TensorRep& tensor) { return text(tensor.dtype, " ", tensor.shape()); }

// What all ranks know of one entry of the lists.
struct Entry {
  DType dtype = DType::Float32;
  Shape shape;
  std::vector<bool> is_there;  // by replica; empty: all have it
};

class RankSums {
 public:
  RankSums(Context& context, std::span<const ReplicaTensors> lists, std::span<LogicalDevice* const> devices,
           Reduction how, const RankReplicas& ranks)
      : context_(context),
        lists_(lists),
        devices_(devices),
        how_(how),
        ranks_(ranks),
        rank_(static_cast<std::size_t>(ranks.cluster.rank())),
        size_(static_cast<std::size_t>(ranks.cluster.size())),
        entries_(lists.empty() ? 0 : lists[0].size()),
        out_(lists.size()) {
    for (ReplicaTensors& list : out_) list.resize(entries_.size());
  }

  std::vector<ReplicaTensors> run() {
    agree();
    // Entries that the same replicas have, of one dtype, travel together.
    std::map<std::pair<DType, std::vector<bool>>, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < entries_.size(); ++i) groups[{entries_[i].dtype, entries_[i].is_there}].push_back(i);
    for (auto& [key, group] : groups) sum_group(group);
    return std::move(out_);
  }

 private:
  // Meets the other ranks, and fills entries_.
  void agree() {
    bool is_complete = true;
    std::string shapes, shown;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const Tensor* some = check(i);
      for (const ReplicaTensors& list : lists_) is_complete = is_complete && list[i].has_value();
      if (some == nullptr) continue;
      entries_[i] = {some->rep().dtype, some->rep().shape(), {}};
      const std::string about = description(some->rep());
      if (i < kMostEntriesDescribed) append(shown, text(shown.empty() ? ": " : ", ", about));
      append(shapes, text(about, "\n"));
    }
    if (entries_.size() > kMostEntriesDescribed) append(shown, ", ...");
    Meeting meeting{
        .what = text(ranks_.what, " of ", entries_.size(), entries_.size() == 1 ? " tensor" : " tensors", shown),
        .where = ranks_.where,
        .equal = text(ranks_.equal, "\n", entries_.size(), "\n", static_cast<int>(how_)),
        .is_complete = is_complete,
        .seconds = ranks_.seconds};
    if (is_complete) meeting.check = std::hash<std::string>()(shapes) | 1;
    if (!ranks_.cluster.meet(meeting, ranks_.interrupted).is_complete) learn_entries(meeting.what);
  }

  // One of this rank's entries i; null: there is none.
  const Tensor* check(std::size_t i) const {
    const Tensor* some = nullptr;
    for (const ReplicaTensors& list : lists_) {
      if (!list[i]) continue;
      const TensorRep& rep = list[i]->rep();
      if (rep.value != 0 && context_.ledger().is_recording()) {
        fail(ErrorCode::Unimplemented, ranks_.what, ": a tape watches the tensor at place ", i + 1,
             ", and sums over several processes have no gradient: call it outside of the tape, or stop_gradient first");
      }
      require(some == nullptr || (rep.dtype == some->rep().dtype && rep.shape() == some->rep().shape()), ranks_.what,
              ": replicas of rank ", rank_, " have ", description(rep), " and ",
              description(some != nullptr ? some->rep() : rep), " at place ", i + 1, "; expected one dtype and shape");
      some = &*list[i];
    }
    return some;
  }

  // Some replica lacks some entry: the ranks tell each other which they have, and of what shapes.
  void learn_entries(const std::string& what) {
    std::string mine;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      mine += static_cast<char>(entries_[i].dtype);
      bool is_there = false;
      for (const ReplicaTensors& list : lists_) {
        mine += static_cast<char>(list[i].has_value());
        is_there = is_there || list[i].has_value();
      }
      const Shape shape = is_there ? entries_[i].shape : Shape();
      mine += static_cast<char>(shape.rank());
      for (int axis = 0; axis < shape.rank(); ++axis) {
        const int64_t length = shape[axis];
        mine.append(reinterpret_cast<const char*>(&length), sizeof length);
      }
    }
    const std::vector<std::string> all = ranks_.cluster.all_gather(mine, ranks_.interrupted);
    std::vector<const char*> at;
    for (const std::string& each : all) at.push_back(each.data());
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      Entry entry;
      bool is_known = false;
      for (std::size_t r = 0; r < size_; ++r) {
        const auto dtype = static_cast<DType>(*at[r]++);
        bool is_there = false;
        for (std::size_t k = ranks_.firsts[r]; k < ranks_.firsts[r + 1]; ++k) {
          entry.is_there.push_back(*at[r]++ != 0);
          is_there = is_there || entry.is_there.back();
        }
        std::vector<int64_t> dims(static_cast<std::size_t>(*at[r]++));
        std::memcpy(dims.data(), at[r], dims.size() * sizeof(int64_t));
        at[r] += dims.size() * sizeof(int64_t);
        if (!is_there) continue;
        const Shape shape(dims);
        // All ranks know the same, so all of them fail.
        require(!is_known || (dtype == entry.dtype && shape == entry.shape), what, ": rank ", r, " has ", dtype, " ",
                shape, " at place ", i + 1, ", and an earlier one ", entry.dtype, " ", entry.shape);
        is_known = true;
        entry.dtype = dtype;
        entry.shape = shape;
      }
      entries_[i] = std::move(entry);
    }
  }

  Tensor run_on_host(const char* op, std::initializer_list<Operand> in) const {
    Call call(context_.runtime().ops().get(op), in.begin(), static_cast<int>(in.size()));
    ForcedPlace place{&context_.runtime().cpu(), Reason::Replicas};
    return run_op(context_, call, &place);
  }

  Tensor tree_sum(const std::vector<SumNode>& nodes, std::size_t begin, std::size_t end) const {
    return sum_from(nodes, begin, end, [this](const Tensor& a, const Tensor& b) { return sum_of(a, b); });
  }
  Tensor sum_of(const Tensor& a, const Tensor& b) const {
    return run_on_host("AddN", {{&a.rep(), Scalar::of(false)}, {&b.rep(), Scalar::of(false)}});
  }

  // The replicas that have the entries of a group, as parts 0, 1, ... of the sum.
  struct Parts {
    std::vector<std::size_t> firsts;  // of each rank, and the number of all
    std::vector<std::size_t> own;     // the local replica of each of this rank's parts
  };
  Parts parts_of(const Entry& entry) const {
    Parts parts;
    std::size_t count = 0;
    for (std::size_t r = 0; r < size_; ++r) {
      parts.firsts.push_back(count);
      for (std::size_t k = ranks_.firsts[r]; k < ranks_.firsts[r + 1]; ++k) {
        if (!entry.is_there.empty() && !entry.is_there[k]) continue;
        ++count;
        if (r == rank_) parts.own.push_back(k - ranks_.firsts[r]);
      }
    }
    parts.firsts.push_back(count);
    return parts;
  }

  // The elements of a group's entries of one local replica, one after the other, in host memory.
  Tensor flat_of(std::size_t replica, std::span<const std::size_t> group, std::size_t count) const {
    Tensor flat = host_tensor(context_, entries_[group[0]].dtype, count);
    std::vector<const TensorRep*> tensors;
    for (std::size_t i : group) tensors.push_back(&lists_[replica][i]->rep());
    context_.runtime().transfer().read_all(context_, tensors, bytes_of(flat));
    return flat;
  }

  // This rank's parts, summed to nodes of the tree.
  std::vector<SumNode> own_nodes(const Parts& parts, std::span<const std::size_t> group, std::size_t count) const {
    const std::size_t first = parts.firsts[rank_];
    std::vector<SumNode> leaves, nodes;
    for (std::size_t k = 0; k < parts.own.size(); ++k)
      leaves.push_back({first + k, first + k + 1, flat_of(parts.own[k], group, count)});
    const std::size_t all = parts.firsts[size_];
    for (auto [begin, end] : nodes_of(first, first + parts.own.size(), all)) {
      std::size_t width = 1;
      while (begin + width < end) width *= 2;
      nodes.push_back({begin, end, sum_from(leaves, begin, width, end, [this](const Tensor& a, const Tensor& b) {
                         return sum_of(a, b);
                       })});
    }
    return nodes;
  }

  // Owner r adds elements [begin_of(r), begin_of(r) + length_of(r)) of a group: a slice, or the entries that it owns.
  // Of small groups each rank adds all.
  void sum_group(std::span<std::size_t> group) {
    const Parts parts = parts_of(entries_[group[0]]);
    const std::size_t all = parts.firsts[size_];
    if (all == 0) return;
    const DType dtype = entries_[group[0]].dtype;
    std::size_t count = 0;
    for (std::size_t i : group) count += static_cast<std::size_t>(entries_[i].shape.size());
    const bool is_owned = !ranks_.owners.empty();
    if (count == 0 && !is_owned) return hand_out(group, host_tensor(context_, dtype, 0));
    std::vector<std::size_t> bounds = slice_bounds(count, size_);
    if (is_owned)
      bounds = sort_by_owner(group, ranks_.owners, size_, [this](std::size_t i) { return entries_[i].shape; });
    std::vector<SumNode> nodes = own_nodes(parts, group, count);
    const bool is_small = !is_owned && count * size_of(dtype) <= kSmallMessageBytes;
    const std::size_t own_first = is_small ? 0 : bounds[rank_],
                      own_count = is_small ? count : bounds[rank_ + 1] - own_first;
    const Slices slices(std::move(bounds), size_of(dtype), rank_);

    std::vector<Piece> sends, receives;
    std::deque<SumNode> gathered;  // the addresses of small tensors' elements must stay
    for (SumNode& node : nodes) {
      if (is_small) send_to_others(node.sum, &sends);
      else slices.send_to_owners(bytes_of(node.sum), &sends);
    }
    for (std::size_t r = 0; r < size_; ++r) {
      if (r == rank_) continue;
      for (auto [begin, end] : nodes_of(parts.firsts[r], parts.firsts[r + 1], all)) {
        gathered.push_back({begin, end, host_tensor(context_, dtype, own_count)});
        receives.push_back({static_cast<int>(r), bytes_of(gathered.back().sum), own_count * size_of(dtype)});
      }
    }
    ranks_.cluster.exchange(sends, receives, ranks_.interrupted);
    if (is_owned && own_count == 0) return hand_out(own_entries(group), host_tensor(context_, dtype, 0));
    std::vector<SumNode> mine(gathered.begin(), gathered.end());
    for (SumNode& node : nodes) {
      if (is_small) {
        mine.push_back(node);
        continue;
      }
      mine.push_back({node.begin, node.end, slice_of(node.sum, own_first, own_count)});
    }
    Tensor sum = tree_sum(mine, 0, all);
    if (how_ == Reduction::Mean) {
      sum = run_on_host("RealDiv", {{&sum.rep(), Scalar::of(false)},
                                    {nullptr, Scalar::of(static_cast<double>(ranks_.firsts[size_]))}});
    }
    if (is_small) return hand_out(group, sum);
    if (is_owned) return hand_out(own_entries(group), sum);
    Tensor whole = host_tensor(context_, sum.rep().dtype, count);
    // A mean of integers is of floats.
    const Slices sums(slice_bounds(count, size_), size_of(sum.rep().dtype), rank_);
    std::memcpy(sums.begin(bytes_of(whole), rank_), bytes_of(sum), sums.bytes(rank_));
    sends.clear();
    receives.clear();
    sums.send_to_all(bytes_of(whole), &sends, &receives);
    ranks_.cluster.exchange(sends, receives, ranks_.interrupted);
    hand_out(group, whole);
  }

  void send_to_others(Tensor& flat, std::vector<Piece>* sends) const {
    for (std::size_t r = 0; r < size_; ++r) {
      if (r != rank_) sends->push_back({static_cast<int>(r), bytes_of(flat), flat.rep().nbytes()});
    }
  }

  Tensor slice_of(const Tensor& flat, std::size_t first, std::size_t count) const {
    return part_of(context_, flat, first, Shape{static_cast<int64_t>(count)});
  }

  std::vector<std::size_t> own_entries(std::span<const std::size_t> group) const {
    std::vector<std::size_t> own;
    for (std::size_t i : group) {
      if (ranks_.owners[i] == rank_) own.push_back(i);
    }
    return own;
  }

  // Gives each local replica the group's sums, on its device.
  void hand_out(std::span<const std::size_t> group, const Tensor& flat) {
    std::size_t at = 0;
    for (std::size_t i : group) {
      const Shape& shape = entries_[i].shape;
      const Tensor sum = part_of(context_, flat, at, shape);
      at += static_cast<std::size_t>(shape.size());
      for (std::size_t r = 0; r < devices_.size(); ++r)
        move_tensor(context_, sum.rep(), *devices_[r], &out_[r][i].emplace().rep());
    }
  }

  Context& context_;
  std::span<const ReplicaTensors> lists_;
  std::span<LogicalDevice* const> devices_;
  const Reduction how_;
  const RankReplicas& ranks_;
  const std::size_t rank_, size_;
  std::vector<Entry> entries_;
  std::vector<ReplicaTensors> out_;
};

}  // namespace

std::vector<ReplicaTensors> all_reduce_over_ranks(Context& context, std::span<const ReplicaTensors> lists,
                                                  std::span<LogicalDevice* const> devices, Reduction how,
                                                  const RankReplicas& ranks) {
  context.cannot_repeat("it sums over several processes");
  return RankSums(context, lists, devices, how, ranks).run();
}

std::vector<ReplicaTensors> gather_from_owners(Context& context, std::span<const Tensor> mine,
                                               std::span<LogicalDevice* const> devices, const RankReplicas& ranks,
                                               bool* agrees) {
  context.cannot_repeat("it exchanges tensors with other processes");
  std::map<DType, std::vector<std::size_t>> groups;
  std::string shapes;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    append(shapes, text(description(mine[i].rep()), "\n"));
    groups[mine[i].rep().dtype].push_back(i);
  }
  const Meeting meeting{.what = ranks.what,
                        .where = ranks.where,
                        .equal = ranks.equal,
                        .check = std::hash<std::string>()(shapes) | 1,
                        .is_complete = *agrees,
                        .seconds = ranks.seconds};
  *agrees = ranks.cluster.meet(meeting, ranks.interrupted).is_complete;
  std::vector<ReplicaTensors> out(devices.size(), ReplicaTensors(mine.size()));
  const auto size = static_cast<std::size_t>(ranks.cluster.size()),
             rank = static_cast<std::size_t>(ranks.cluster.rank());
  for (auto& [dtype, group] : groups) {
    const std::vector<std::size_t> bounds =
        sort_by_owner(group, ranks.owners, size, [&](std::size_t i) { return mine[i].rep().shape(); });
    Tensor flat = host_tensor(context, dtype, bounds[size]);
    const Slices slices(bounds, size_of(dtype), rank);
    std::vector<const TensorRep*> own;
    for (std::size_t i : group) {
      if (ranks.owners[i] == rank) own.push_back(&mine[i].rep());
    }
    context.runtime().transfer().read_all(context, own, slices.begin(bytes_of(flat), rank));
    std::vector<Piece> sends, receives;
    slices.send_to_all(bytes_of(flat), &sends, &receives);
    ranks.cluster.exchange(sends, receives, ranks.interrupted);
    std::size_t at = 0;
    for (std::size_t i : group) {
      const Shape shape = mine[i].rep().shape();
      const std::size_t first = at;
      at += static_cast<std::size_t>(shape.size());
      if (ranks.owners[i] == rank) continue;
      const Tensor part = part_of(context, flat, first, shape);
      for (std::size_t r = 0; r < devices.size(); ++r)
        move_tensor(context, part.rep(), *devices[r], &out[r][i].emplace().rep());
    }
  }
  return out;
}

}  // namespace lutra
