// Variables of the process' environment.
#pragma once

#include <cstdlib>
#include <string_view>

namespace lutra {

// The variable's value; "" if it is not set, as for all of Lutra's both mean the same.
inline std::string_view environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace lutra
