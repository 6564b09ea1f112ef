// The k largest of each line on the CPU. Records of the largest elements sort first, and no two are equal, so the
// answer is the same however a line is cut into chunks.

#include "kernels/cpu/loops/sort_lines.h"
#include "ops/axes.h"
#include "ops/sort.h"

namespace lutra {
namespace {

// The first k records of a stream. Keeps those that may still be among them, and drops all but k whenever the buffer is
// full.
template <class R> class Smallest {
 public:
  static int64_t room(int64_t k) { return 2 * std::max<int64_t>(k, 64); }

  Smallest(R* records, int64_t k) : records_(records), k_(k), room_(room(k)) {}

  [[gnu::always_inline]] void offer(const R& record) {
    if (is_cut_ && !(record < last_)) return;
    records_[count_++] = record;
    if (count_ == room_) cut();
  }
  // After a cut, no record with a larger key than the limit is taken.
  bool is_cut() const { return is_cut_; }
  uint64_t limit() const { return last_.key(); }

  // The number of records, at most k, in no order.
  int64_t finish() {
    if (count_ > k_) cut();
    return count_;
  }

 private:
  void cut() {
    std::nth_element(records_, records_ + (k_ - 1), records_ + count_);
    last_ = records_[k_ - 1];
    count_ = k_;
    is_cut_ = true;
  }

  R* records_;
  int64_t k_, room_, count_ = 0;
  R last_{};
  bool is_cut_ = false;
};

// Offers elements [begin, end) of a line. Most come too late, so many are checked together, without branches.
template <class R, class T>
void offer_all(Smallest<R>& smallest, const T* x, int64_t stride, int64_t begin, int64_t end) {
  using K = KeyOf<T>;
  constexpr int64_t kTogether = 32;
  auto key = [=](int64_t i) __attribute__((always_inline)) { return static_cast<K>(~key_of(x[i * stride])); };
  while (begin < end) {
    if (stride == 1 && smallest.is_cut() && begin + kTogether <= end) {
      const K limit = static_cast<K>(smallest.limit());
      K keys[kTogether], reached = 0;
      for (int64_t j = 0; j < kTogether; ++j) keys[j] = static_cast<K>(~key_of(x[begin + j]));
      for (int64_t j = 0; j < kTogether; ++j) reached |= static_cast<K>(keys[j] <= limit);
      for (int64_t j = 0; j < kTogether && reached != 0; ++j) smallest.offer(R(keys[j], begin + j));
      begin += kTogether;
    } else {
      smallest.offer(R(key(begin), begin));
      ++begin;
    }
  }
}

// A long line is searched in chunks of this many elements, whatever the number of threads.
constexpr int64_t kPiece = 1 << 16;

struct TopKPlan {
  LinePlan lines;
  int64_t k;
  bool sorts_all;                            // k is a large share of a line
  int64_t pieces;                            // per line
  template <class R> int64_t room() const {  // records per slot
    if (sorts_all) return 2 * lines.length;
    return pieces * Smallest<R>::room(k);
  }

  explicit TopKPlan(const KernelArgs& args)
      : lines(args.in[0], axis_of(args.as<TopKAttrs>().axis, args.in[0].rank, -1)), k(args.as<TopKAttrs>().k) {
    sorts_all = k > lines.length / 8;
    bool is_split = lines.slots == 1 && lines.length >= 2 * kPiece && 8 * k <= kPiece;
    pieces = is_split ? (lines.length + kPiece - 1) / kPiece : 1;
  }
};

// Whether there is nothing to do; sizes beside an axis of size 0 may be too large to multiply.
bool is_empty(const KernelArgs& args) { return args.in[0].size == 0 || args.as<TopKAttrs>().k == 0; }

template <class T> std::size_t top_k_scratch(const KernelArgs& args) {
  if (is_empty(args)) return 0;
  TopKPlan plan(args);
  return with_record<T>(plan.lines.length, [&](auto record) {
    return static_cast<std::size_t>(plan.lines.slots * plan.room<decltype(record)>()) * sizeof record;
  });
}

// The first k records of a line in order.
template <class R, class T> const R* first_k(const TopKPlan& plan, const T* x, R* room) {
  int64_t n = plan.lines.length, stride = plan.lines.stride, k = plan.k;
  if (plan.sorts_all) {
    fill_records<R>(x, stride, n, true, room);
    return sort_records(room, room + n, n, sizeof(T));
  }
  int64_t piece_room = Smallest<R>::room(k), piece = plan.pieces > 1 ? kPiece : n;
  parallel_for(plan.pieces, 1, [=](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      Smallest<R> smallest(room + p * piece_room, k);
      int64_t last = std::min(n, (p + 1) * piece);
      offer_all(smallest, x, stride, p * piece, last);
      smallest.finish();
    }
  });
  // Every chunk has kept k records, except the last, which may be shorter.
  if (plan.pieces > 1) {
    Smallest<R> smallest(room, k);  // the first chunk's records stay where they are
    for (int64_t p = 0; p < plan.pieces; ++p) {
      int64_t kept = std::min({k, piece, n - p * piece});
      for (int64_t i = 0; i < kept; ++i) smallest.offer(R(room[p * piece_room + i]));
    }
    smallest.finish();
  }
  std::sort(room, room + k);  // by position, too: they are in no order, so a stable sort would not do
  return room;
}

template <class T> void run_top_k(const KernelArgs& args) {
  if (is_empty(args)) return;
  TopKPlan plan(args);
  const LinePlan& lines = plan.lines;
  int64_t base = args.as<TopKAttrs>().base.value, k = plan.k;
  with_record<T>(lines.length, [&](auto record) {
    using R = decltype(record);
    lines.each([&](int64_t line, int64_t slot) {
      const T* x = args.in[0].as<T>() + lines.first(line, lines.length);
      T* values = args.out[0].as<T>() + lines.first(line, k);
      int64_t* places = args.out[1].as<int64_t>() + lines.first(line, k);
      const R* best = first_k<R>(plan, x, reinterpret_cast<R*>(args.scratch) + slot * plan.template room<R>());
      for (int64_t i = 0; i < k; ++i) {
        values[i * lines.stride] = x[best[i].place() * lines.stride];
        places[i * lines.stride] = best[i].place() + base;
      }
    });
  });
}

}  // namespace

void register_top_k_cpu(KernelRegistry& kernels) {
  kernels.add_each("TopKV2", DeviceType::CPU, AllTypes{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_top_k<T>, .scratch = top_k_scratch<T>};
  });
}

}  // namespace lutra
