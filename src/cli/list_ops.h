// `lutra --ops`: which operations there are, and where they are computed.
#pragma once

#include <string>

namespace lutra {

// One line per op, in alphabetical order: its name in Lua, its name in the placement log, and the dtypes that it is
// computed in on CPUs and on GPUs.
std::string ops_text();

}  // namespace lutra
