// The messages between `lutra attach` and a host. A frame is its kind (1 byte), the size of its payload (4 bytes, least
// significant first), and the payload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lutra::attach {

enum class Kind : char {
  Hello = 'H',  // both, first: kGreeting and lines "name=value"
  // The client's.
  Run = 'R',        // an entry
  Complete = 'C',   // number, cursor, text: an Answer of begin, end and the words, one a line
  Signature = 'S',  // number, cursor, text: an Answer of the signature
  Interrupt = 'K',  // stops the entry
  Input = 'L',      // the line that WantInput asked for, with its newline; empty: the end
  // The host's.
  Ready = 'P',        // a letter (Outcome), the prompt, a zero byte, the second prompt: an entry may come
  Output = 'O',       // what the entry printed
  ErrorOutput = 'E',  // what it wrote to stderr
  Text = 'T',         // a letter (TextKind) and whole lines of the session
  WantInput = 'I',    // the entry reads a line
  Answer = 'A',       // number, answer
  Cancelled = 'Z',    // the entry was interrupted before it began
  Bye = 'X',          // why the host closes the connection
};

enum class Outcome : char { Begin = 'b', Ok = 'o', Failed = 'f' };
enum class TextKind : char { Output = 'o', Note = 'n', Error = 'e' };

// Changes with the frames.
constexpr std::string_view kGreeting = "lutra attach 1\n";
// The longest payload. Longer output is cut into several frames, a longer entry is refused.
constexpr std::size_t kLongest = 16 << 20;
constexpr std::size_t kHeader = 5;

struct Frame {
  Kind kind;
  std::string payload;
};

void append_frame(std::string& out, Kind kind, std::string_view payload);

// Takes frames out of the bytes that a socket gives.
class FrameReader {
 public:
  // `longest`: of a payload.
  explicit FrameReader(std::size_t longest = kLongest) : longest_(longest) {}
  void set_longest(std::size_t longest) { longest_ = longest; }
  void add(std::string_view bytes) { bytes_.append(bytes); }
  // nullopt: more bytes are needed.
  std::optional<Frame> next();
  // The other side sends no frames, or too long ones: nothing more can be read.
  bool is_damaged() const { return damaged_; }

 private:
  std::size_t longest_;
  std::string bytes_;
  std::size_t read_ = 0;
  bool damaged_ = false;
};

// Numbers at the start of payloads: as text, each with a space after it.
void append_number(std::string& out, std::uint64_t number);
// Takes one off; nullopt if there is none.
std::optional<std::uint64_t> take_number(std::string_view& text);

// The value of "name=value" among the lines of a greeting; "" if there is none.
std::string_view greeting_value(std::string_view greeting, std::string_view name);

}  // namespace lutra::attach
