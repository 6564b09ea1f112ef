// A file packed by gzip (RFC 1952), as the stream of its unpacked bytes.
#pragma once

#include <memory>

#include "io/stream.h"

namespace lutra {

// Whether the file begins like a gzip file.
bool is_gzip(ByteSource& source);
// The source must outlive the stream. Reading the last byte also checks the checksum. Fails for files of 4 GiB and
// more, unpacked, and of several members: their end does not give the length.
std::unique_ptr<ByteStream> open_gzip(ByteSource& source);

}  // namespace lutra
