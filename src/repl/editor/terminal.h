// A terminal whose keys arrive one by one. Its state is restored by end(), and before a signal ends the process.
#pragma once

#include <sys/types.h>
#include <termios.h>

#include <csignal>
#include <cstddef>
#include <string>
#include <string_view>

#include "repl/editor/frame.h"
#include "repl/editor/keymap.h"

namespace lutra::editor {

class Terminal {
 public:
  // `watched`: another file that may end a wait, or -1.
  Terminal(int in, int out, int watched = -1) : in_(in), out_(out), watched_(watched) {}
  ~Terminal() { end(); }
  Terminal(const Terminal&) = delete;

  // Takes over the terminal and the signals. False if `in` is none (any more). One terminal at a time.
  bool begin();
  void end();

  // 80 by 24 if the terminal does not know.
  Size size() const;

  enum class Event { Input, Nothing, Resized, Continued, Interrupted, Stop, Watched, Gone };
  // Waits for what comes next; -1: for ever. Nothing: the time is over.
  Event wait(int milliseconds);
  // What has been typed; 0 if the terminal is gone.
  std::size_t read(char* bytes, std::size_t most);
  // False if the terminal is gone.
  bool write(std::string_view bytes);

  // Appends what gives the cursor a shape until end() or stop(), which give it back to the user.
  void shape_cursor(CursorShape shape, std::string& out);

  // Stops the process group, as Ctrl-Z does. Returns when it continues.
  void stop();
  // Raw again, after somebody else may have changed it.
  bool resume();

 private:
  void restore();
  // Reads what was typed while the terminal collected lines.
  void read_ahead();

  static constexpr int kSignals[] = {SIGWINCH, SIGCONT, SIGTSTP, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT};
  static constexpr std::size_t kCount = sizeof kSignals / sizeof kSignals[0];

  int in_, out_, watched_;
  bool active_ = false;
  std::string ahead_;  // typed before the terminal was raw, and not yet read
  struct termios raw_ = {};
  struct sigaction before_[kCount] = {};
};

}  // namespace lutra::editor
