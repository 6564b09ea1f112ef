// The rows of a file of one tensor, as lutra.data has them in a tensor's place: #rows, rows.rank, rows.shape,
// rows.dtype, rows.device, rows[i] and rows[{{first, last}}], which reads them.
#pragma once

#include <lua.hpp>

#include <memory>

#include "io/tensor_file.h"

namespace lutra {

// Null for anything else.
std::shared_ptr<FileReader> file_rows_at(lua_State* L, int index);

}  // namespace lutra
