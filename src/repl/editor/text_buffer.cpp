#include "repl/editor/text_buffer.h"

#include <utility>

namespace lutra::editor {

void TextBuffer::reset(std::string text) {
  text_ = std::move(text);
  cursor_ = text_.size();
  edits_.clear();
  done_ = 0;
  step_is_open_ = kills_now_ = killed_before_ = yanks_now_ = yanked_before_ = false;
  group_ = Group::None;
}

void TextBuffer::apply(std::size_t begin, std::size_t size, std::string_view added) {
  text_.replace(begin, size, added);
  cursor_ = begin + added.size();
}

void TextBuffer::replace(std::size_t begin, std::size_t end, std::string_view added) {
  if (begin == end && added.empty()) return;
  edits_.resize(done_);
  bool goes_on = step_is_open_ && begin == end && !edits_.empty() && edits_.back().removed.empty() &&
                 edits_.back().begin + edits_.back().added.size() == begin;
  if (goes_on) {
    edits_.back().added += added;
  } else {
    edits_.push_back({begin, cursor_, text_.substr(begin, end - begin), std::string(added), group_ == Group::Begun});
    ++done_;
    if (group_ == Group::Empty) group_ = Group::Begun;
  }
  step_is_open_ = begin == end;
  apply(begin, end - begin, added);
}

void TextBuffer::kill(std::size_t begin, std::size_t end) {
  if (begin == end) return;
  std::string gone = text_.substr(begin, end - begin);
  if (!kills_now_ && !killed_before_) keep(std::move(gone));
  else if (begin < cursor_) kills_.back().insert(0, gone);
  else kills_.back() += gone;
  kills_now_ = true;
  erase(begin, end);
}

void TextBuffer::keep(std::string kill) {
  if (kills_.size() == kMostKills) kills_.erase(kills_.begin());
  kills_.push_back(std::move(kill));
}

const std::string& TextBuffer::killed() const {
  static const std::string none;
  return kills_.empty() ? none : kills_.back();
}

void TextBuffer::yank() {
  if (kills_.empty()) return;
  yanked_ = kills_.size() - 1;
  yank_begin_ = cursor_;
  yanks_now_ = true;
  end_step();
  insert(kills_[yanked_]);
  end_step();
}

void TextBuffer::yank_older() {
  if (!yanked_before_) return;
  const std::size_t end = yank_begin_ + kills_[yanked_].size();
  yanked_ = (yanked_ > 0 ? yanked_ : kills_.size()) - 1;
  yanks_now_ = true;
  replace(yank_begin_, end, kills_[yanked_]);
}

void TextBuffer::begin_key() {
  killed_before_ = std::exchange(kills_now_, false);
  yanked_before_ = std::exchange(yanks_now_, false);
}

bool TextBuffer::undo() {
  if (done_ == 0) return false;
  for (bool goes_on = true; goes_on && done_ > 0;) {
    const Edit& edit = edits_[--done_];
    apply(edit.begin, edit.added.size(), edit.removed);
    cursor_ = edit.cursor_before;
    goes_on = edit.is_joined;
  }
  step_is_open_ = false;
  group_ = Group::None;
  return true;
}

bool TextBuffer::redo() {
  if (done_ == edits_.size()) return false;
  do {
    const Edit& edit = edits_[done_++];
    apply(edit.begin, edit.removed.size(), edit.added);
  } while (done_ < edits_.size() && edits_[done_].is_joined);
  step_is_open_ = false;
  return true;
}

}  // namespace lutra::editor
