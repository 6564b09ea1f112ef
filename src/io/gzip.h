// A file that gzip packed (RFC 1952), as the stream of what is in it.
#pragma once

#include <memory>

#include "io/stream.h"

namespace lutra {

// Whether the file begins as gzip's do.
bool is_gzip(ByteSource& source);
// The source outlives the stream. The last byte read is followed by a check of the sum. Files of 4 GiB and more,
// unpacked, and of several members are refused: their end tells no length.
std::unique_ptr<ByteStream> open_gzip(ByteSource& source);

}  // namespace lutra
