#include <algorithm>
#include <string_view>

#include "repl/editor/characters.h"
#include "repl/editor/keymap.h"
#include "repl/editor/motions.h"

namespace lutra::editor {
namespace {

constexpr int kMostRepeats = 10000;

// Where a motion leads. An operator takes the text up to there.
struct Target {
  std::size_t place;
  bool inclusive = false;  // the character at the later end belongs to it
};

class ViKeymap final : public Keymap {
 public:
  void begin_entry() override {
    inserts_ = true;
    forget();
  }

  Action handle(const Key& key, TextBuffer& buffer) override {
    if (inserts_) return insert(key, buffer);
    Action action = command(key, buffer);
    if (!inserts_) clamp(buffer);
    return action;
  }

 private:
  void forget() {
    count_ = outer_count_ = 0;
    operator_ = pending_ = 0;
  }

  // In command mode the cursor is on a character, not behind the last one of a line.
  static void clamp(TextBuffer& buffer) {
    const std::string& text = buffer.text();
    std::size_t at = buffer.cursor();
    if (at == line_end(text, at) && at > line_begin(text, at)) buffer.move_to(previous_character(text, at));
  }

  Action insert(const Key& key, TextBuffer& buffer) {
    const std::string& text = buffer.text();
    std::size_t at = buffer.cursor();
    if (key.name == Key::Name::Escape || key.is_ctrl('[')) {
      to_command_mode(buffer);
      return Action::None;
    }
    // An ESC and the key after it may arrive together: in vi this is no Alt.
    if (key.alt && key.name == Key::Name::Text && !key.ctrl) {
      to_command_mode(buffer);
      Key plain = key;
      plain.alt = false;
      return handle(plain, buffer);
    }
    Action action;
    if (handle_common_key(key, buffer, action)) return action;
    if (key.name == Key::Name::Backspace) {
      if (key.alt) buffer.kill(word_back(text, at), at);
      else buffer.erase(previous_character(text, at), at);
    } else if (key.name == Key::Name::Paste) {
      insert_text(key, buffer, false);
    } else if (key.name == Key::Name::Text) {
      if (!key.ctrl) insert_text(key, buffer, false);
      else if (key.is_ctrl('w')) buffer.kill(word_back(text, at), at);
      else if (key.is_ctrl('u')) buffer.kill(line_begin(text, at), at);
      else if (key.is_ctrl('d')) return Action::DeleteOrEnd;
      else if (key.is_ctrl('r')) return Action::SearchBack;
      else if (key.is_ctrl('e')) return Action::LineEndOrAccept;
      else if (key.is_ctrl('n')) return Action::LineDown;
      else if (key.is_ctrl('p')) return Action::LineUp;
    }
    return Action::None;
  }

  void to_command_mode(TextBuffer& buffer) {
    inserts_ = false;
    forget();
    buffer.end_step();
    std::size_t at = buffer.cursor();
    if (at > line_begin(buffer.text(), at)) buffer.move_to(previous_character(buffer.text(), at));
  }

  void insert_at(TextBuffer& buffer, std::size_t place) {
    buffer.move_to(place);
    buffer.end_step();
    inserts_ = true;
  }

  int repeats() const { return std::min(std::max(count_, 1) * std::max(outer_count_, 1), kMostRepeats); }

  Action command(const Key& key, TextBuffer& buffer) {
    if (key.name == Key::Name::Escape) {
      forget();
      return Action::None;
    }
    if (key.name == Key::Name::Paste) {
      insert_text(key, buffer, false);
      return Action::None;
    }
    if (key.name == Key::Name::Backspace) return letter("h", buffer);
    if (key.is_ctrl('r')) {
      buffer.redo();
      return Action::None;
    }
    if (key.is_ctrl('d')) return buffer.text().empty() ? Action::DeleteOrEnd : Action::None;
    if (key.is_ctrl('n')) return Action::LineDown;
    if (key.is_ctrl('p')) return Action::LineUp;
    Action action;
    if (handle_common_key(key, buffer, action)) {
      forget();
      return action;
    }
    if (key.name != Key::Name::Text || key.ctrl) return Action::None;
    return letter(key.text, buffer);
  }

  Action letter(std::string_view typed, TextBuffer& buffer) {
    if (pending_ != 0) return argument(typed, buffer);
    char c = typed.size() == 1 ? typed[0] : '\0';
    if ((c >= '1' && c <= '9') || (c == '0' && count_ > 0)) {
      count_ = std::min(count_ * 10 + (c - '0'), kMostRepeats);
      return Action::None;
    }
    if (std::string_view("rfFtTg").find(c) != std::string_view::npos && c != '\0') {
      pending_ = c;
      return Action::None;
    }
    if (operator_ != 0) {
      if (c == operator_) lines(buffer);
      else operate(c, buffer);
      forget();
      return Action::None;
    }
    if (c == 'd' || c == 'c' || c == 'y') {
      operator_ = c;
      outer_count_ = count_;
      count_ = 0;
      return Action::None;
    }
    Action action = Action::None;
    Target target{buffer.cursor()};
    if (motion(c, buffer, target)) buffer.move_to(target.place);
    else action = simple(c, buffer);
    forget();
    return action;
  }

  // The key behind r, f, F, t, T or g.
  Action argument(std::string_view typed, TextBuffer& buffer) {
    char command = pending_;
    pending_ = 0;
    const std::string& text = buffer.text();
    std::size_t at = buffer.cursor();
    if (command == 'r') {
      if (at < line_end(text, at)) {
        buffer.replace(at, next_character(text, at), typed);
        buffer.move_to(at);
      }
    } else if (command == 'g') {
      if (typed == "g") reach({0}, buffer);
    } else {
      find_ = command;
      found_ = typed;
      Target target{at};
      if (find(find_, buffer, target)) reach(target, buffer);
    }
    forget();
    return Action::None;
  }

  // Moves there, or applies the waiting operator.
  void reach(Target target, TextBuffer& buffer) {
    if (operator_ == 0) buffer.move_to(target.place);
    else apply(target, buffer);
  }

  bool find(char command, const TextBuffer& buffer, Target& target) const {
    if (found_.empty()) return false;
    const std::string& text = buffer.text();
    std::size_t at = buffer.cursor(), place = at;
    bool forward = command == 'f' || command == 't';
    for (int i = 0; i < repeats(); ++i) {
      if (forward) {
        place = text.find(found_, next_character(text, place));
        if (place == std::string::npos || place >= line_end(text, at)) return false;
      } else {
        if (place == 0) return false;
        place = text.rfind(found_, place - 1);
        if (place == std::string::npos || place < line_begin(text, at)) return false;
      }
    }
    if (command == 't') place = previous_character(text, place);
    if (command == 'T') place = next_character(text, place);
    target = {place, forward};
    return true;
  }

  bool motion(char c, const TextBuffer& buffer, Target& target) const {
    const std::string& text = buffer.text();
    std::size_t at = buffer.cursor();
    auto repeat = [&](auto step) {
      for (int i = 0; i < repeats(); ++i) at = step(text, at);
    };
    bool inclusive = false;
    switch (c) {
      case 'h':
        repeat([](const std::string& t, std::size_t p) { return p > line_begin(t, p) ? previous_character(t, p) : p; });
        break;
      case 'l':
      case ' ':
        repeat([](const std::string& t, std::size_t p) { return p < line_end(t, p) ? next_character(t, p) : p; });
        break;
      case 'w':
      case 'W': repeat([c](const std::string& t, std::size_t p) { return vi_word(t, p, c == 'W'); }); break;
      case 'b':
      case 'B': repeat([c](const std::string& t, std::size_t p) { return vi_word_back(t, p, c == 'B'); }); break;
      case 'e':
      case 'E':
        repeat([c](const std::string& t, std::size_t p) { return vi_word_end(t, p, c == 'E'); });
        inclusive = true;
        break;
      case '0': at = line_begin(text, at); break;
      case '^': at = first_nonblank(text, at); break;
      case '$': at = line_end(text, at); break;
      case 'G': at = text.size(); break;
      case ';':
      case ',': {
        char back = find_ == 'f' ? 'F' : find_ == 'F' ? 'f' : find_ == 't' ? 'T' : 't';
        return find(c == ';' ? find_ : back, buffer, target);
      }
      default: return false;
    }
    target = {at, inclusive};
    return true;
  }

  void operate(char c, TextBuffer& buffer) {
    const std::string& text = buffer.text();
    std::size_t at = buffer.cursor();
    // "cw" on a word changes to its end, not the blanks behind it.
    bool on_word = at < text.size() && text[at] != ' ' && text[at] != '\t' && text[at] != '\n';
    bool change_word = operator_ == 'c' && on_word && (c == 'w' || c == 'W');
    Target target{at};
    if (change_word) {
      std::size_t place = word_end_from(text, at, c == 'W');
      for (int i = 1; i < repeats(); ++i) place = vi_word_end(text, place, c == 'W');
      target = {place, true};
    } else if (!motion(c, buffer, target)) {
      return;
    }
    if (!change_word && (c == 'w' || c == 'W') && target.place > line_end(text, at)) target.place = line_end(text, at);
    apply(target, buffer);
  }

  // The last character of the word that `at` is in.
  static std::size_t word_end_from(const std::string& text, std::size_t at, bool big) {
    std::size_t next = vi_word(text, at, big);
    while (next > at && (text[next - 1] == ' ' || text[next - 1] == '\t' || text[next - 1] == '\n')) --next;
    return previous_character(text, next);
  }

  void apply(Target target, TextBuffer& buffer) {
    const std::string& text = buffer.text();
    std::size_t begin = std::min(buffer.cursor(), target.place), end = std::max(buffer.cursor(), target.place);
    if (target.inclusive) end = next_character(text, end);
    if (operator_ == 'y') {
      buffer.copy(begin, end);
      buffer.move_to(begin);
      return;
    }
    buffer.begin_key();
    buffer.kill(begin, end);
    if (operator_ == 'c') insert_at(buffer, begin);
  }

  // dd, cc and yy. What they keep ends in a newline, by which p knows that it is lines.
  void lines(TextBuffer& buffer) {
    const std::string& text = buffer.text();
    std::size_t begin = line_begin(text, buffer.cursor()), end = line_end(text, begin);
    for (int i = 1; i < repeats() && end < text.size(); ++i) end = line_end(text, end + 1);
    std::string kept = text.substr(begin, end - begin) + "\n";
    if (operator_ == 'c') {
      buffer.erase(begin, end);
      insert_at(buffer, begin);
    } else if (operator_ == 'd') {
      if (end < text.size()) ++end;
      else if (begin > 0) --begin;
      buffer.erase(begin, end);
      buffer.move_to(first_nonblank(buffer.text(), std::min(begin, buffer.text().size())));
    }
    buffer.keep(std::move(kept));
  }

  void put(TextBuffer& buffer, bool behind) {
    const std::string& text = buffer.text();
    std::string kept = buffer.killed();
    std::size_t at = buffer.cursor();
    if (kept.empty()) return;
    if (kept.back() == '\n') {
      std::size_t place = behind ? line_end(text, at) : line_begin(text, at);
      if (behind) kept = "\n" + kept.substr(0, kept.size() - 1);
      buffer.replace(place, place, kept);
      buffer.move_to(behind ? place + 1 : place);
      return;
    }
    if (behind && at < line_end(text, at)) buffer.move_to(next_character(text, at));
    buffer.yank();
    buffer.move_to(previous_character(buffer.text(), buffer.cursor()));
  }

  Action simple(char c, TextBuffer& buffer) {
    const std::string& text = buffer.text();
    std::size_t at = buffer.cursor();
    std::size_t begin = line_begin(text, at), end = line_end(text, at);
    auto operation = [&](char name, std::size_t place) {
      operator_ = name;
      apply({place}, buffer);
    };
    switch (c) {
      case 'i': insert_at(buffer, at); break;
      case 'a': insert_at(buffer, at < end ? next_character(text, at) : at); break;
      case 'I': insert_at(buffer, first_nonblank(text, at)); break;
      case 'A': insert_at(buffer, end); break;
      case 'o':
        insert_at(buffer, end);
        buffer.insert("\n");
        break;
      case 'O':
        insert_at(buffer, begin);
        buffer.insert("\n");
        buffer.move_to(begin);
        break;
      case 'x':
      case 's': {
        std::size_t last = at;
        for (int i = 0; i < repeats() && last < end; ++i) last = next_character(text, last);
        operation(c == 'x' ? 'd' : 'c', last);
        break;
      }
      case 'X': operation('d', at > begin ? previous_character(text, at) : at); break;
      case 'D': operation('d', end); break;
      case 'C': operation('c', end); break;
      case 'S':
        operator_ = 'c';
        lines(buffer);
        break;
      case 'Y':
        operator_ = 'y';
        lines(buffer);
        break;
      case 'p': put(buffer, true); break;
      case 'P': put(buffer, false); break;
      case 'J':
        if (end == text.size()) break;
        buffer.replace(end, first_nonblank(text, end + 1), " ");
        buffer.move_to(end);
        break;
      case '~': swap_case(buffer); break;
      case 'u':
        for (int i = 0; i < repeats(); ++i) buffer.undo();
        break;
      case 'j':
      case '+': return Action::LineDown;
      case 'k':
      case '-': return Action::LineUp;
      case '/':
      case '?': return Action::SearchBack;
    }
    return Action::None;
  }

  static void swap_case(TextBuffer& buffer) {
    std::size_t at = buffer.cursor();
    if (at == line_end(buffer.text(), at)) return;
    char c = buffer.text()[at];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter) buffer.replace(at, at + 1, std::string(1, static_cast<char>(c ^ 0x20)));
    else buffer.move_to(next_character(buffer.text(), at));
  }

  bool inserts_ = true;
  int count_ = 0, outer_count_ = 0;  // typed before the motion, and before the operator
  char operator_ = 0, pending_ = 0;  // d, c or y; r, f, F, t, T or g
  char find_ = 0;                    // the last f, F, t or T, for ; and ,
  std::string found_;
};

}  // namespace

std::unique_ptr<Keymap> make_vi_keymap() { return std::make_unique<ViKeymap>(); }

}  // namespace lutra::editor
