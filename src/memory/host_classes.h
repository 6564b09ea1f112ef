// The sizes of the host pool's blocks: a header, then data of one of the classes. Large blocks are whole pages.
#pragma once

#include <cstddef>

#include "memory/size_steps.h"

namespace lutra::host_classes {

using Steps = SizeSteps<8>;  // so a block is at most an eighth larger than requested

inline constexpr std::size_t kUnit = 64;     // class sizes are multiples of it
inline constexpr std::size_t kHeader = 128;  // of a block, before its data
inline constexpr std::size_t kPage = 4096;
// From this class on, a block has its own pages.
inline constexpr unsigned kFirstLarge = Steps::at_least(128 * 1024 / kUnit + 1);

inline std::size_t class_bytes(unsigned step) { return Steps::units(step) * kUnit; }
inline std::size_t block_bytes(unsigned step) { return kHeader + class_bytes(step); }
inline std::size_t page_bytes(unsigned step) { return (block_bytes(step) + kPage - 1) / kPage * kPage; }
// The largest class whose block fits into this many bytes of pages.
inline unsigned class_within(std::size_t bytes) { return Steps::at_most((bytes - kHeader) / kUnit); }

}  // namespace lutra::host_classes
