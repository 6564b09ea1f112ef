#include "memory/storage.h"

namespace lutra {

namespace detail {
constinit std::atomic<int64_t> storage_count{0};
}

int64_t live_storages() { return detail::storage_count.load(std::memory_order_relaxed); }

}  // namespace lutra
