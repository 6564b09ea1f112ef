// NumPy's npy: a magic word, a Python dictionary, the elements (numpy/lib/format.py). Also what an npz holds.
#pragma once

#include "io/stream.h"
#include "io/tensor_file.h"

namespace lutra {

struct NpyHeader {
  DType dtype;
  Shape shape;
  bool is_fortran;  // the first axis is the fastest
  bool is_swapped;  // big-endian
};

// Leaves the stream before the elements, which are as many bytes as are left in it.
NpyHeader read_npy_header(ByteStream& stream);
void read_npy_elements(ByteStream& stream, const NpyHeader& header, std::byte* to);

// Byte for byte what numpy.save writes before the elements. Fails (InvalidArgument) for a bfloat16.
std::string npy_header(const std::string& label, const FileEntry& entry);

}  // namespace lutra
