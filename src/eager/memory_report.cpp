#include "eager/memory_report.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lutra {
namespace {

// Where the Runtime's storages came from. Interpreters that share the Runtime have origins of their own, and only those
// of large storages tell whose they are.
struct AllOrigins {
  explicit AllOrigins(Context& context) : runtime(context.runtime()), own(context.origins()) {}
  const BigOrigin* big(const Storage& storage) const {
    for (Context* context : runtime.contexts()) {
      if (const BigOrigin* found = context->origins().big(&storage)) return found;
    }
    return nullptr;
  }
  const Origin* find(const TensorRep& tensor) const { return is_shared() ? nullptr : own.find(tensor); }
  const OriginDetail* detail(const TensorRep& tensor) const { return is_shared() ? nullptr : own.detail(tensor); }
  bool is_shared() const { return runtime.contexts().size() > 1; }

  Runtime& runtime;
  const Origins& own;
};

// The largest storages, by size and then by age.
class Largest {
 public:
  explicit Largest(const AllOrigins& origins) : origins_(origins) {}

  void offer(const Storage& storage) {
    if (count_ == kMost && !before(storage, *found_[kMost - 1])) return;
    std::size_t at = count_ < kMost ? count_++ : kMost - 1;
    for (; at > 0 && before(storage, *found_[at - 1]); --at) found_[at] = found_[at - 1];
    found_[at] = &storage;
  }
  const Storage* const* begin() const { return found_.data(); }
  const Storage* const* end() const { return found_.data() + count_; }

 private:
  static constexpr std::size_t kMost = 5;

  bool before(const Storage& a, const Storage& b) const {
    return a.bytes != b.bytes ? a.bytes > b.bytes : number(a) < number(b);
  }
  uint32_t number(const Storage& storage) const {
    if (const BigOrigin* big = origins_.big(storage)) return big->origin.number;
    return storage.tensor != nullptr ? storage.tensor->origin : UINT32_MAX;
  }

  const AllOrigins& origins_;
  std::array<const Storage*, kMost> found_;
  std::size_t count_ = 0;
};

std::string size_text(std::size_t bytes) {
  return text(bytes_text(static_cast<int64_t>(bytes)), " (", bytes, " bytes)");
}

// "(8, 1024, 1024) float32  made by Fill at train.lua:2"
std::string holder_text(const AllOrigins& origins, const Storage& storage) {
  std::string line;
  if (const BigOrigin* big = origins.big(storage)) {
    if (!big->detail.line.empty()) line = text(" at ", big->detail.line);
    return text(big->shape, " ", big->dtype, "  made by ", big->origin.op != nullptr ? big->origin.op : "a copy", line);
  }
  if (storage.tensor == nullptr) return "(held by a slice, a copy or an op in progress)";
  const TensorRep& tensor = *storage.tensor;
  std::string made = text(tensor.shape(), " ", tensor.dtype);
  const Origin* origin = origins.find(tensor);
  if (origin == nullptr || origin->op == nullptr) return made;
  const OriginDetail* detail = origins.detail(tensor);
  if (detail != nullptr && !detail->line.empty()) line = text(" at ", detail->line);
  return text(made, "  made by ", origin->op, line);
}

// Why the request failed: the limit, or a lack of pages.
struct Want {
  std::size_t limit, in_use, largest_free;
  std::string refusal;  // why there are no pages, though the limit leaves room; "" if the limit is the reason
};

Want want_on(Context& context, const LogicalDevice& device, std::size_t bytes) {
  if (device.heap != nullptr) {
    ArenaStats stats = device.heap->stats();
    bool fits = bytes <= stats.largest_free_bytes;
    return {stats.limit_bytes, stats.bytes_in_use, stats.largest_free_bytes,
            fits ? text("the device gave no pages: ", device.heap->why_no_pages()) : ""};
  }
  HostPoolStats stats = context.runtime().pool().stats();
  return {stats.limit_bytes, stats.bytes_in_use, stats.limit_bytes - std::min(stats.limit_bytes, stats.bytes_in_use),
          stats.system_refused && bytes <= stats.limit_bytes
              ? text("the system gave this process no ", bytes_text(static_cast<int64_t>(bytes)), " more (mmap failed)")
              : ""};
}

std::string hint_for(const LogicalDevice& device, std::size_t bytes, const Want& want) {
  if (bytes > want.limit) {
    return text("The tensor is larger than the device's limit: make it smaller, or raise the limit ",
                device.is_host() ? "with lutra.config.set_memory_limit(\"CPU:0\", MB)."
                                 : "with lutra.config.set_logical_device_configuration.");
  }
  std::string release =
      "Release tensors you no longer need (local t <close>, lutra.tidy, t = nil), use smaller batches, ";
  if (want.refusal.empty()) return release + "or raise the limit.";
  return release + (device.is_host() ? "or let the process have more: ulimit -v, swap, what other processes hold."
                                     : "or end other programs that use the device.");
}

}  // namespace

std::vector<std::string> largest_tensors(Context& context, const LogicalDevice& device) {
  const AllOrigins origins(context);
  Largest largest(origins);
  StorageVisitor offer = [](void* user, const Storage& storage) { static_cast<Largest*>(user)->offer(storage); };
  // Logical CPUs share one pool and its limit.
  if (device.heap != nullptr) device.heap->for_each_storage(offer, &largest);
  else context.runtime().pool().for_each_storage(offer, &largest);
  std::vector<std::string> lines;
  for (const Storage* storage : largest) {
    lines.push_back(text(bytes_text(static_cast<int64_t>(storage->bytes)), "  ", holder_text(origins, *storage)));
  }
  return lines;
}

std::vector<LiveTensor> live_tensors(Context& context, const LogicalDevice* only, std::size_t most) {
  std::vector<const Storage*> storages;
  StorageVisitor add = [](void* user, const Storage& storage) {
    static_cast<std::vector<const Storage*>*>(user)->push_back(&storage);
  };
  bool has_host = false;  // all logical CPUs share one pool
  for (const LogicalDevice* device : context.runtime().order()) {
    if (only != nullptr && device != only) continue;
    if (device->heap != nullptr) device->heap->for_each_storage(add, &storages);
    else if (!std::exchange(has_host, true)) context.runtime().pool().for_each_storage(add, &storages);
  }
  const std::size_t count = std::min(most, storages.size());
  std::partial_sort(storages.begin(), storages.begin() + static_cast<std::ptrdiff_t>(count), storages.end(),
                    [](const Storage* a, const Storage* b) { return a->bytes > b->bytes; });
  storages.resize(count);
  std::vector<LiveTensor> list;
  const AllOrigins origins(context);
  for (const Storage* storage : storages) {
    LiveTensor live;
    live.device = context.runtime().device(storage->device).full_name;
    live.bytes = static_cast<int64_t>(storage->bytes);
    const Origin* origin = nullptr;
    const OriginDetail* detail = nullptr;
    if (const BigOrigin* big = origins.big(*storage)) {
      live.shape = big->shape;
      live.dtype = big->dtype;
      live.is_known = true;
      origin = &big->origin;
      detail = &big->detail;
    } else if (const TensorRep* tensor = storage->tensor) {
      live.shape = tensor->shape();
      live.dtype = tensor->dtype;
      live.is_known = true;
      origin = origins.find(*tensor);
      detail = origins.detail(*tensor);
    }
    if (origin != nullptr && origin->op != nullptr) live.op = origin->op;
    if (detail != nullptr) live.line = detail->line;
    list.push_back(std::move(live));
  }
  return list;
}

Error out_of_memory(Context& context, LogicalDevice& device, std::size_t bytes, const Wanted& wanted) {
  Want want = want_on(context, device, bytes);
  std::string message = text(wanted.op, ": out of memory on ", device.full_name, ": ", size_text(bytes),
                             " asked for a tensor of shape ", wanted.shape, " and dtype ", wanted.dtype, "; limit ",
                             size_text(want.limit), ", in use ", size_text(want.in_use));
  message += want.refusal.empty() ? text(", largest free piece ", size_text(want.largest_free), ".")
                                  : text("; the limit leaves room, but ", want.refusal, ".");

  const char* title = "\nLargest live tensors:";
  for (const std::string& line : largest_tensors(context, device)) {
    message += text(std::exchange(title, ""), "\n  ", line);
  }
  std::string hint = hint_for(device, bytes, want);
  message += "\n" + hint;
  return Error(ErrorCode::ResourceExhausted, std::move(message))
      .with("device", device.full_name)
      .with("hint", hint)
      .with("bytes", text(bytes))
      .with("limit", text(want.limit))
      .with("in_use", text(want.in_use))
      .with("largest_free", text(want.largest_free));
}

}  // namespace lutra
