// NumPy's npy: a magic string, a Python dictionary, the elements (numpy/lib/format.py). An npz holds these too.
#pragma once

#include "io/stream.h"
#include "io/tensor_file.h"

namespace lutra {

struct NpyHeader {
  DType dtype;
  Shape shape;
  bool is_fortran;  // the first axis varies fastest
  bool is_swapped;  // big-endian
};

// Leaves the stream at the elements, which are all the remaining bytes.
NpyHeader read_npy_header(ByteStream& stream);
void read_npy_elements(ByteStream& stream, const NpyHeader& header, std::byte* to);

// Exactly what numpy.save writes before the elements. Fails (InvalidArgument) for bfloat16.
std::string npy_header(const std::string& label, const FileEntry& entry);

}  // namespace lutra
