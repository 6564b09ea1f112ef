#include "repl/editor/letter_case.h"

#include <cwctype>

#include <locale.h>

#include "repl/editor/characters.h"

namespace lutra::editor {
namespace {

void append_code_point(char32_t value, std::string& out) {
  if (value < 0x80) {
    out += static_cast<char>(value);
    return;
  }
  const int more = value < 0x800 ? 1 : value < 0x10000 ? 2 : 3;  // bytes behind the first
  out += static_cast<char>((0xf0 << (3 - more) & 0xff) | value >> (6 * more));
  for (int i = more - 1; i >= 0; --i) out += static_cast<char>(0x80 | (value >> (6 * i) & 0x3f));
}

}  // namespace

std::string in_case(std::string_view text, Case wanted) {
  static const locale_t unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", static_cast<locale_t>(nullptr));
  std::string out;
  if (unicode == static_cast<locale_t>(nullptr)) return std::string(text);
  bool begins_word = true;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    const std::wint_t letter = static_cast<std::wint_t>(point.value);
    if (!point.valid) {
      out += text[at];
    } else {
      const bool large = wanted == Case::Upper || (wanted == Case::Capital && begins_word) ||
                         (wanted == Case::Swapped && iswlower_l(letter, unicode) != 0);
      append_code_point(static_cast<char32_t>(large ? towupper_l(letter, unicode) : towlower_l(letter, unicode)), out);
    }
    begins_word = !point.valid || iswalnum_l(letter, unicode) == 0;
    at += point.size;
  }
  return out;
}

}  // namespace lutra::editor
