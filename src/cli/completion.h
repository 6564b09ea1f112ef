// Completion of lutra's own command line in shells: `lutra --completion bash`.
#pragma once

#include <string>
#include <string_view>

namespace lutra {

// The completion file for bash, zsh or fish, made from the tables of options; "" for another shell.
std::string completion_file(std::string_view shell);

}  // namespace lutra
