// Other libraries' names for functions, methods, dtypes and options of Lutra, so that an error can say what to write.
#pragma once

#include <string_view>

namespace lutra {

// What to write for a function of the module, by its path in it ("cat", "random.rand"), or "".
std::string_view foreign_function(std::string_view path);
// What to write for a tensor's field or method, or "".
std::string_view foreign_method(std::string_view name);
// Our name of a dtype ("double"), or "".
std::string_view foreign_dtype(std::string_view name);
// Our names for an option ("dim"), of which a function may have one: index 0, 1, ... until the result is "".
std::string_view foreign_option(std::string_view name, int index);
// What to use instead of an option that does not exist here by any name, or "".
std::string_view instead_of_option(std::string_view name);

}  // namespace lutra
