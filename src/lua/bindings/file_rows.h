// The rows of a file with one tensor, which lutra.data uses like a tensor: #rows, rows.rank, rows.shape, rows.dtype,
// rows.device, and rows[i] or rows[{{first, last}}], which read the file.
#pragma once

#include <lua.hpp>

#include <memory>

#include "io/tensor_file.h"

namespace lutra {

// The reader of the rows at `index`; null for anything else.
std::shared_ptr<FileReader> file_rows_at(lua_State* L, int index);

}  // namespace lutra
