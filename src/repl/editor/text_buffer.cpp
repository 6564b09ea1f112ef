#include "repl/editor/text_buffer.h"

#include <utility>

namespace lutra::editor {

void TextBuffer::reset(std::string text) {
  text_ = std::move(text);
  cursor_ = text_.size();
  edits_.clear();
  done_ = 0;
  step_is_open_ = kills_ = killed_before_ = false;
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
    edits_.push_back({begin, cursor_, text_.substr(begin, end - begin), std::string(added)});
    ++done_;
  }
  step_is_open_ = begin == end;
  apply(begin, end - begin, added);
}

void TextBuffer::kill(std::size_t begin, std::size_t end) {
  if (begin == end) return;
  std::string gone = text_.substr(begin, end - begin);
  if (!kills_ && !killed_before_) killed_ = std::move(gone);
  else if (begin < cursor_) killed_.insert(0, gone);
  else killed_ += gone;
  kills_ = true;
  erase(begin, end);
}

void TextBuffer::begin_key() { killed_before_ = std::exchange(kills_, false); }

bool TextBuffer::undo() {
  if (done_ == 0) return false;
  const Edit& edit = edits_[--done_];
  apply(edit.begin, edit.added.size(), edit.removed);
  cursor_ = edit.cursor_before;
  step_is_open_ = false;
  return true;
}

bool TextBuffer::redo() {
  if (done_ == edits_.size()) return false;
  const Edit& edit = edits_[done_++];
  apply(edit.begin, edit.removed.size(), edit.added);
  step_is_open_ = false;
  return true;
}

}  // namespace lutra::editor
