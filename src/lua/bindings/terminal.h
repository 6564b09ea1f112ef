// The terminal that plots and progress bars assume if output goes elsewhere: to a socket, or to a notebook.
#pragma once

namespace lutra {

// auto: on terminals other than "dumb", unless NO_COLOR is set.
enum class Color { Auto, Always, Never };
// For the whole program: what its user has asked for.
void choose_colors(Color color);
// Whether what is written to this file descriptor is in colour.
bool wants_colors(int descriptor);

// Sizes in characters; 0: not known.
struct TerminalFeatures {
  bool is_terminal = false;
  bool has_colors = false;
  bool is_utf8 = true;
  int columns = 0, rows = 0;
};

// Whether stderr is a terminal, or what stands in its place is.
bool is_stderr_terminal();
// Its columns, 0 if they are not known.
int stderr_columns();

// While it lives, plots and progress bars that this thread prints are for such a terminal.
class TerminalOverride {
 public:
  explicit TerminalOverride(const TerminalFeatures& features);
  ~TerminalOverride();
  TerminalOverride(const TerminalOverride&) = delete;

 private:
  const TerminalFeatures* before_;
};

}  // namespace lutra
