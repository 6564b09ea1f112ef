// Edits an entry in the user's editor.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lutra::editor {

// Runs $VISUAL, else $EDITOR, else vi on a file with the text, in a terminal that collects lines. Returns what the file
// holds then, without blanks at its end; nothing if there is no such program, or it fails.
std::optional<std::string> edited_elsewhere(std::string_view text);

}  // namespace lutra::editor
