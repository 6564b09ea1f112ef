// Letters of text in upper and lower case, in all alphabets.
#pragma once

#include <string>
#include <string_view>

namespace lutra::editor {

enum class Case { Upper, Lower, Swapped, Capital };  // Capital: the first letter of a word large, the others small

// Bytes that are not UTF-8 stay as they are.
std::string in_case(std::string_view text, Case wanted);

}  // namespace lutra::editor
