#include "eager/memory_report.h"

#include <algorithm>

namespace lutra {
namespace {

constexpr std::size_t kHolders = 5;

struct Holder {
  const Storage* storage;
  const BigOrigin* origin;
};

std::vector<Holder> largest_holders(Context& context, const LogicalDevice& device) {
  std::vector<Holder> holders;
  for (const auto& [storage, origin] : context.origins().big()) {
    // Logical CPUs share one pool and its limit.
    bool here =
        storage->device == device.id || (device.is_host() && context.runtime().device(storage->device).is_host());
    if (here) holders.push_back({storage, &origin});
  }
  std::sort(holders.begin(), holders.end(), [](const Holder& a, const Holder& b) {
    if (a.storage->bytes != b.storage->bytes) return a.storage->bytes > b.storage->bytes;
    return a.origin->origin.number < b.origin->origin.number;
  });
  if (holders.size() > kHolders) holders.resize(kHolders);
  return holders;
}

std::string size_text(std::size_t bytes) {
  return text(bytes_text(static_cast<int64_t>(bytes)), " (", bytes, " bytes)");
}

}  // namespace

Error out_of_memory(Context& context, LogicalDevice& device, std::size_t bytes, const Wanted& wanted) {
  std::size_t limit, in_use, largest_free;
  if (device.heap != nullptr) {
    ArenaStats stats = device.heap->stats();
    limit = stats.limit_bytes;
    in_use = stats.bytes_in_use;
    largest_free = stats.largest_free_bytes;
  } else {
    HostPoolStats stats = context.runtime().pool().stats();
    limit = stats.limit_bytes;
    in_use = stats.bytes_in_use;
    largest_free = limit - std::min(limit, in_use);
  }
  std::string message =
      text(wanted.op, ": out of memory on ", device.full_name, ": ", size_text(bytes), " asked for a tensor of shape ",
           wanted.shape, " and dtype ", wanted.dtype, "; limit ", size_text(limit), ", in use ", size_text(in_use),
           ", largest free piece ", size_text(largest_free), ".");
  std::vector<Holder> holders = largest_holders(context, device);
  if (!holders.empty()) message += "\nLargest live tensors:";
  for (const Holder& holder : holders) {
    const BigOrigin& made = *holder.origin;
    message += text("\n  ", bytes_text(static_cast<int64_t>(holder.storage->bytes)), "  ", made.shape, " ", made.dtype,
                    "  made by ", made.origin.op != nullptr ? made.origin.op : "a copy");
    if (!made.detail.line.empty()) message += text(" at ", made.detail.line);
  }
  std::string hint =
      bytes > limit
          ? text("The tensor is larger than the device's limit: make it smaller, or raise the limit ",
                 device.is_host() ? "with lutra.config.set_memory_limit(\"CPU:0\", MB)."
                                  : "with lutra.config.set_logical_device_configuration.")
          : text("Release tensors you no longer need (local t <close>, lutra.tidy, t = nil), use smaller batches, ",
                 "or raise the limit.");
  message += "\n" + hint;
  return Error(ErrorCode::ResourceExhausted, std::move(message)).with("device", device.full_name).with("hint", hint);
}

}  // namespace lutra
