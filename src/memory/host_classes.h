// The sizes of the host pool's blocks: a header, then data of one of the classes. Large blocks are whole pages.
#pragma once

#include <cstddef>

#include "memory/size_steps.h"

namespace lutra::host_classes {

using Steps = SizeSteps<8>;  // so at most an eighth of a block is not asked for

inline constexpr std::size_t kUnit = 64;     // classes are steps of it
inline constexpr std::size_t kHeader = 128;  // a block's, before its data
inline constexpr std::size_t kPage = 4096;
// From here on a block is pages of its own.
inline constexpr unsigned kFirstLarge = Steps::at_least(128 * 1024 / kUnit + 1);

inline std::size_t class_bytes(unsigned step) { return Steps::units(step) * kUnit; }
inline std::size_t block_bytes(unsigned step) { return kHeader + class_bytes(step); }
inline std::size_t page_bytes(unsigned step) { return (block_bytes(step) + kPage - 1) / kPage * kPage; }
// The largest class that fits into so many bytes of pages.
inline unsigned class_within(std::size_t bytes) { return Steps::at_most((bytes - kHeader) / kUnit); }

}  // namespace lutra::host_classes
