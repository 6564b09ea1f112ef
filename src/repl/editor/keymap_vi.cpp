#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "repl/editor/characters.h"
#include "repl/editor/keymap.h"
#include "repl/editor/motions.h"
#include "repl/editor/vi_changes.h"
#include "repl/editor/vi_objects.h"

namespace lutra::editor {
namespace {

constexpr int kMostRepeats = 10000;

// Where a motion leads. An operator takes the text up to there.
struct Target {
  std::size_t place;
  bool inclusive = false;  // the character at the later end belongs to it
};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n'; }
bool is_one_of(char c, std::string_view letters) { return c != '\0' && letters.find(c) != letters.npos; }

class ViKeymap final : public Keymap {
 public:
  void begin_entry() override {
    mode_ = Mode::Insert;
    records_ = false;
    insertion_.forget_count();
    forget();
  }

  CursorShape cursor_shape() const override {
    if (mode_ == Mode::Replace) return CursorShape::Underline;
    return mode_ == Mode::Insert ? CursorShape::Bar : CursorShape::Block;
  }

  Action handle(const Key& key, TextBuffer& buffer) override {
    // An ESC and the key after it may arrive together: in vi this is no Alt.
    if (key.alt && key.name == Key::Name::Text && !key.ctrl) {
      Key plain = key;
      plain.alt = false;
      handle(Key{Key::Name::Escape, false, false, {}}, buffer);
      return handle(plain, buffer);
    }
    if (mode_ == Mode::Command && is_idle()) {
      recorded_.clear();
      changes_ = false;
      records_ = true;
    }
    if (records_) recorded_.push_back(key);
    const Action action = obey(key, buffer);
    if (mode_ == Mode::Command && is_idle() && std::exchange(records_, false) && changes_) change_ = recorded_;
    return action;
  }

 private:
  enum class Mode { Insert, Replace, Command };

  Action obey(const Key& key, TextBuffer& buffer) {
    if (mode_ != Mode::Command) return insert(key, buffer);
    const Action action = command(key, buffer);
    if (mode_ == Mode::Command) clamp(buffer);
    return action;
  }

  // Whether the keys so far are a whole command.
  bool is_idle() const { return count_ == 0 && outer_count_ == 0 && operator_ == 0 && pending_ == 0; }

  void forget() {
    count_ = outer_count_ = 0;
    operator_ = pending_ = 0;
  }

  // Repeats the last change, with another count if there is one.
  void repeat(TextBuffer& buffer) {
    const std::vector<Key> keys = change_;
    const int given = count_;
    int counted = 0;
    forget();
    auto key = keys.begin();
    for (; key != keys.end() && key->name == Key::Name::Text && is_digit(key->text[0]); ++key) {
      counted = std::min(counted * 10 + (key->text[0] - '0'), kMostRepeats);
    }
    count_ = given > 0 ? given : counted;
    for (; key != keys.end(); ++key) {
      buffer.begin_key();
      const Action action = obey(*key, buffer);
      if (action == Action::Enter || action == Action::NewLine) buffer.insert("\n");
    }
    changes_ = false;
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
    const std::size_t size = text.size();
    Action action;
    if (handle_common_key(key, buffer, action)) {
      if (buffer.cursor() != at && text.size() == size) insertion_.forget_count();
      return action;
    }
    if (key.name == Key::Name::Backspace) {
      if (mode_ == Mode::Replace) buffer.move_to(previous_character(text, at));
      else if (key.alt) buffer.kill(word_back(text, at), at);
      else buffer.erase(previous_character(text, at), at);
    } else if (key.name == Key::Name::Paste) {
      insert_text(key, buffer, false);
    } else if (key.name == Key::Name::Text) {
      const bool overwrites = mode_ == Mode::Replace && !key.ctrl && at < line_end(text, at);
      if (overwrites) buffer.replace(at, next_character(text, at), key.text);
      else if (!key.ctrl) insert_text(key, buffer, false);
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
    insertion_.repeat(buffer, mode_ == Mode::Replace);
    mode_ = Mode::Command;
    forget();
    buffer.end_step();
    buffer.end_group();
    std::size_t at = buffer.cursor();
    if (at > line_begin(buffer.text(), at)) buffer.move_to(previous_character(buffer.text(), at));
  }

  // What is inserted until ESC is undone together with what the command has erased.
  void insert_at(TextBuffer& buffer, std::size_t place) {
    buffer.move_to(place);
    buffer.end_step();
    insertion_.forget_count();
    mode_ = Mode::Insert;
    changes_ = true;
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
    const char c = typed.size() == 1 ? typed[0] : '\0';
    if ((c >= '1' && c <= '9') || (c == '0' && count_ > 0)) {
      count_ = std::min(count_ * 10 + (c - '0'), kMostRepeats);
      return Action::None;
    }
    if (is_one_of(c, operator_ != 0 ? "fFtTgia" : "rfFtTg")) {
      pending_ = c;
      return Action::None;
    }
    if (operator_ != 0) {
      if (c == operator_)
        take_lines(buffer, buffer.cursor(), vi_line_below(buffer.text(), buffer.cursor(), repeats() - 1, true));
      else operate(c, buffer);
      forget();
      return Action::None;
    }
    if (is_one_of(c, "dcy<>")) {
      begin_operator(c);
      return Action::None;
    }
    Action action = Action::None;
    Target target{buffer.cursor()};
    if (motion(c, buffer, target)) buffer.move_to(target.place);
    else action = simple(c, buffer);
    forget();
    return action;
  }

  void begin_operator(char name) {
    operator_ = name;
    outer_count_ = count_;
    count_ = 0;
  }

  // The key behind r, f, F, t, T or g, and behind i or a after an operator.
  Action argument(std::string_view typed, TextBuffer& buffer) {
    const char command = std::exchange(pending_, '\0');
    const char c = typed.size() == 1 ? typed[0] : '\0';
    const std::size_t at = buffer.cursor();
    if (command == 'g' && operator_ == 0 && is_one_of(c, "uU~")) {
      begin_operator(c);
      return Action::None;
    }
    if (command == 'r') {
      changes_ = vi_replace(buffer, typed, repeats());
    } else if (command == 'i' || command == 'a') {
      if (std::optional<Span> span = vi_object(buffer.text(), at, command == 'a', c, repeats())) apply(*span, buffer);
    } else if (command == 'g') {
      if (c == 'g') to_line(buffer, std::max(count_, outer_count_));
      else if (c == 'e' || c == 'E') reach(word_ends_back(buffer, c == 'E'), buffer);
      else if (c == operator_)
        take_lines(buffer, at, vi_line_below(buffer.text(), buffer.cursor(), repeats() - 1, true));  // as guu, gugu
    } else {
      find_ = command;
      found_ = typed;
      Target target{at};
      if (find(find_, buffer, target)) reach(target, buffer);
    }
    forget();
    return Action::None;
  }

  // The start of line `number`, counted from 1; 0 or too many: the first or the last one. An operator takes the lines.
  void to_line(TextBuffer& buffer, int number) {
    std::size_t place = 0;
    for (int i = 1; i < number && line_end(buffer.text(), place) < buffer.text().size(); ++i) {
      place = line_end(buffer.text(), place) + 1;
    }
    if (operator_ != 0) take_lines(buffer, buffer.cursor(), place);
    else buffer.move_to(first_nonblank(buffer.text(), place));
  }

  Target word_ends_back(const TextBuffer& buffer, bool big) const {
    std::size_t at = buffer.cursor();
    for (int i = 0; i < repeats(); ++i) at = vi_word_end_back(buffer.text(), at, big);
    return {at, true};
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
      case '^':
      case '_': at = first_nonblank(text, at); break;
      case '$': at = line_end(text, at); break;
      case '|': at = at_column(text, at, repeats() - 1); break;
      case '%': {
        const std::optional<std::size_t> bracket = matching_bracket(text, at);
        if (!bracket) return false;
        at = *bracket;
        inclusive = true;
        break;
      }
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
    const std::size_t at = buffer.cursor();
    if (is_one_of(c, "jk+-")) {
      return take_lines(buffer, at, vi_line_below(text, at, c == 'j' || c == '+' ? repeats() : -repeats(), false));
    }
    if (c == 'G') {
      const int number = std::max(count_, outer_count_);
      return number > 0 ? to_line(buffer, number) : take_lines(buffer, at, text.size());
    }
    // "cw" on a word changes to its end, not the blanks behind it.
    const bool is_word = c == 'w' || c == 'W';
    const bool change_word = operator_ == 'c' && is_word && at < text.size() && !is_space(text[at]);
    Target target{at};
    if (change_word) {
      std::size_t place = word_end_from(text, at, c == 'W');
      for (int i = 1; i < repeats(); ++i) place = vi_word_end(text, place, c == 'W');
      target = {place, true};
    } else if (!motion(c, buffer, target)) {
      return;
    }
    if (!change_word && is_word && target.place > line_end(text, at)) target.place = line_end(text, at);
    apply(target, buffer);
  }

  // The last character of the word that `at` is in.
  static std::size_t word_end_from(const std::string& text, std::size_t at, bool big) {
    std::size_t next = vi_word(text, at, big);
    while (next > at && is_space(text[next - 1])) --next;
    return previous_character(text, next);
  }

  void apply(Target target, TextBuffer& buffer) {
    const std::string& text = buffer.text();
    std::size_t begin = std::min(buffer.cursor(), target.place), end = std::max(buffer.cursor(), target.place);
    if (target.inclusive) end = next_character(text, end);
    apply(Span{begin, end}, buffer);
  }

  void apply(Span span, TextBuffer& buffer) {
    vi_operate(operator_, span, buffer);
    operated(buffer);
  }

  // The operator on the lines from that of one place to that of another; npos: on none.
  void take_lines(TextBuffer& buffer, std::size_t from, std::size_t to) {
    if (to == std::string::npos) return;
    vi_operate_on_lines(operator_, from, to, buffer);
    operated(buffer);
  }

  void operated(TextBuffer& buffer) {
    changes_ = operator_ != 'y';
    if (operator_ == 'c') insert_at(buffer, buffer.cursor());
  }

  Action simple(char c, TextBuffer& buffer) {
    const std::string& text = buffer.text();
    std::size_t at = buffer.cursor();
    std::size_t begin = line_begin(text, at), end = line_end(text, at);
    auto operation = [&](char name, std::size_t place) {
      operator_ = name;
      apply(Target{place}, buffer);
    };
    switch (c) {
      case 'i': begin_insert(buffer, at); break;
      case 'a': begin_insert(buffer, at < end ? next_character(text, at) : at); break;
      case 'I': begin_insert(buffer, first_nonblank(text, at)); break;
      case 'A': begin_insert(buffer, end); break;
      case 'R':
        begin_insert(buffer, at);
        mode_ = Mode::Replace;
        break;
      case 'o':
        begin_insert(buffer, end);
        buffer.insert("\n" + vi_indentation(text, begin));
        break;
      case 'O': {
        begin_insert(buffer, begin);
        const std::string blanks = vi_indentation(text, begin);
        buffer.insert(blanks + "\n");
        buffer.move_to(begin + blanks.size());
        break;
      }
      case 'x':
      case 's': {
        std::size_t last = at;
        for (int i = 0; i < repeats() && last < end; ++i) last = next_character(text, last);
        operation(c == 'x' ? 'd' : 'c', last);
        break;
      }
      case 'X': {
        std::size_t first = at;
        for (int i = 0; i < repeats() && first > begin; ++i) first = previous_character(text, first);
        operation('d', first);
        break;
      }
      case 'D': operation('d', end); break;
      case 'C': operation('c', end); break;
      case 'S':
      case 'Y':
        operator_ = c == 'S' ? 'c' : 'y';
        take_lines(buffer, at, vi_line_below(buffer.text(), buffer.cursor(), repeats() - 1, true));
        break;
      case 'p':
      case 'P': changes_ = vi_put(buffer, c == 'p', repeats()); break;
      case 'J': changes_ = vi_join(buffer, repeats()); break;
      case 'G': to_line(buffer, count_ > 0 ? count_ : kMostRepeats); break;
      case '.': repeat(buffer); break;
      case '~': changes_ = vi_swap_case(buffer, repeats()); break;
      case 'u':
        for (int i = 0; i < repeats(); ++i) buffer.undo();
        break;
      case 'j':
      case '+': return Action::LineDown;
      case 'k':
      case '-': return Action::LineUp;
      case '/':
      case '?': return Action::SearchToEdit;
      case 'n': return Action::SearchOlder;
      case 'N': return Action::SearchNewer;
      case 'v': return Action::EditElsewhere;
    }
    return Action::None;
  }

  void begin_insert(TextBuffer& buffer, std::size_t place) {
    buffer.begin_group();
    insert_at(buffer, place);
    insertion_.begin(buffer, repeats());
  }

  Mode mode_ = Mode::Insert;
  int count_ = 0, outer_count_ = 0;  // typed before the motion, and before the operator
  char operator_ = 0, pending_ = 0;  // d c y < > u U ~; r f F t T g, or i a after an operator
  char find_ = 0;                    // the last f, F, t or T, for ; and ,
  std::string found_;
  ViInsertion insertion_;
  // The keys of the command being typed, whether it has changed the text, and the keys of the last one that did.
  std::vector<Key> recorded_, change_;
  bool records_ = false, changes_ = false;
};

}  // namespace

std::unique_ptr<Keymap> make_vi_keymap() { return std::make_unique<ViKeymap>(); }

}  // namespace lutra::editor
