#include "repl/editor/history.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace lutra {

std::string default_history_path(bool ignores_variable) {
  if (const char* path = std::getenv("LUTRA_HISTORY"); path != nullptr && !ignores_variable) return path;
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/') {
    return std::string(state) + "/lutra/history";
  }
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return {};
  return std::string(home) + "/.local/state/lutra/history";
}

namespace editor {
namespace {

constexpr off_t kMostBytes = 4 << 20;                      // of the file's end are read
constexpr std::size_t kLongestEntry = 256 << 10;           // longer ones stay out of the file
constexpr std::size_t kSlack = History::kMostEntries / 4;  // more entries than kMostEntries before the file is cut

class File {
 public:
  File(const std::string& path, int flags) : number_(open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0600)) {}
  ~File() {
    if (number_ >= 0) close(number_);
  }
  File(const File&) = delete;
  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }

  // Waits for the other sessions' writes, which are short. False if the file system has no locks, or somebody keeps the
  // lock.
  bool lock() {
    for (int attempt = 0; attempt < 50; ++attempt) {
      if (flock(number_, LOCK_EX | LOCK_NB) == 0) return true;
      if (errno != EWOULDBLOCK && errno != EINTR) return false;
      usleep(5000);
    }
    return false;
  }

  bool write_all(std::string_view bytes) {
    while (!bytes.empty()) {
      ssize_t written = write(number_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }

 private:
  int number_;
};

// An entry is a line of the file.
std::string escaped(std::string_view entry) {
  std::string line;
  for (char c : entry) {
    if (c == '\n') line += "\\n";
    else if (c == '\\') line += "\\\\";
    else line += c;
  }
  return line;
}

std::string unescaped(std::string_view line) {
  std::string entry;
  for (std::size_t i = 0; i < line.size(); ++i) {
    bool escape = line[i] == '\\' && i + 1 < line.size() && (line[i + 1] == 'n' || line[i + 1] == '\\');
    if (!escape) entry += line[i];
    else entry += line[++i] == 'n' ? '\n' : '\\';
  }
  return entry;
}

// The folders above the file that are missing.
void make_folders(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    mkdir(path.substr(0, slash).c_str(), 0700);
  }
}

// The last bytes of the file, from the start of a line on. Sets `whole` if they are all there is. *skipped: the size of
// the part of a line before them that was read.
bool read_end(const File& file, off_t size, std::string& bytes, bool& whole, std::size_t* skipped = nullptr) {
  off_t begin = std::max<off_t>(size - kMostBytes, 0);
  bytes.resize(static_cast<std::size_t>(size - begin));
  std::size_t have = 0;
  while (have < bytes.size()) {
    ssize_t got = pread(file.number(), bytes.data() + have, bytes.size() - have, begin + static_cast<off_t>(have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
  whole = begin == 0;
  const std::size_t part = whole || bytes.empty() ? 0 : std::min(bytes.find('\n'), bytes.size() - 1) + 1;
  bytes.erase(0, part);
  if (skipped != nullptr) *skipped = part;
  return true;
}

std::vector<std::string_view> lines_of(std::string_view bytes) {
  std::vector<std::string_view> lines;
  while (!bytes.empty()) {
    std::size_t end = std::min(bytes.find('\n'), bytes.size());
    if (end > 0) lines.push_back(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  return lines;
}

}  // namespace

History::History(std::string path) : path_(std::move(path)) {
  if (!path_.empty()) read();
}

void History::complain(const std::string& what, int error) {
  if (!std::exchange(complained_, true)) message_ = "history: " + what + " " + path_ + ": " + std::strerror(error);
}

std::string History::take_message() { return std::exchange(message_, {}); }

void History::read() {
  File file(path_, O_RDONLY);
  if (!file.is_open()) {
    if (errno != ENOENT) complain("cannot read", errno);
    return;
  }
  struct stat status = {};
  if (fstat(file.number(), &status) != 0) return;
  if (S_ISDIR(status.st_mode)) {
    complain("cannot read", EISDIR);
    path_.clear();
  } else if (!S_ISREG(status.st_mode)) {
    if (path_ != "/dev/null")
      message_ = "history: " + path_ + " is no regular file: entries are kept until the session ends";
    path_.clear();
  }
  if (path_.empty()) return;
  std::string bytes;
  bool whole;
  std::size_t skipped = 0;
  if (!read_end(file, status.st_size, bytes, whole, &skipped)) return complain("cannot read", errno);
  std::vector<std::string_view> lines = lines_of(bytes);
  bool is_long = !whole || lines.size() > kMostEntries + kSlack;
  const auto is_odd = [](std::string_view line) { return line.size() > 2 * kLongestEntry; };
  // Nothing that the editor has written looks like that: it may be another program's file.
  const bool has_odd = skipped > 2 * kLongestEntry || std::any_of(lines.begin(), lines.end(), is_odd);
  if (is_long && has_odd && !set_aside()) is_long = false;
  if (lines.size() > kMostEntries) lines.erase(lines.begin(), lines.end() - kMostEntries);
  entries_.reserve(lines.size());
  for (std::string_view line : lines) {
    if (line.size() <= 2 * kLongestEntry) entries_.push_back(unescaped(line));
  }
  if (is_long) cut_file();
}

// Gives a file that is to be cut a second name. False if that failed: then it must not be cut.
bool History::set_aside() {
  std::string other = path_ + ".old";
  if (link(path_.c_str(), other.c_str()) != 0) {
    other += "." + std::to_string(getpid());
    if (link(path_.c_str(), other.c_str()) != 0) {
      complain("cannot make a copy of", errno);
      return false;
    }
  }
  if (!std::exchange(complained_, true)) {
    message_ = "history: " + path_ + " has lines that are too long for entries: it was moved to " + other;
  }
  return true;
}

// Replaces the file by its newest entries. Sessions that append meanwhile notice that it is another one (append).
void History::cut_file() {
  File file(path_, O_RDWR);
  struct stat status = {};
  if (!file.is_open() || !file.lock() || fstat(file.number(), &status) != 0) return;
  std::string bytes, kept;
  bool whole;
  if (!read_end(file, status.st_size, bytes, whole)) return;
  std::vector<std::string_view> lines = lines_of(bytes);
  if (whole && lines.size() <= kMostEntries + kSlack) return;  // another session has cut it
  std::size_t first = lines.size() > kMostEntries ? lines.size() - kMostEntries : 0;
  for (std::size_t i = first; i < lines.size(); ++i) {
    if (lines[i].size() > 2 * kLongestEntry) continue;
    kept += lines[i];
    kept += '\n';
  }
  std::string draft = path_ + "." + std::to_string(getpid());
  {
    File shorter(draft, O_WRONLY | O_CREAT | O_EXCL);
    if (!shorter.is_open()) return;
    if (!shorter.write_all(kept)) {
      unlink(draft.c_str());
      return;
    }
  }
  if (rename(draft.c_str(), path_.c_str()) != 0) unlink(draft.c_str());
}

void History::append(const std::string& entry) {
  make_folders(path_);
  for (int attempt = 0; attempt < 10; ++attempt) {
    File file(path_, O_RDWR | O_APPEND | O_CREAT);
    if (!file.is_open()) return complain("cannot write", errno);
    file.lock();  // without it, too, O_APPEND keeps whole what others write
    struct stat ours = {}, theirs = {};
    if (fstat(file.number(), &ours) != 0) return complain("cannot write", errno);
    // A copy, or an older program, may have let others read it.
    constexpr mode_t kOthers = S_IRWXG | S_IRWXO;
    if (S_ISREG(ours.st_mode) && (ours.st_mode & kOthers) != 0) fchmod(file.number(), S_IRUSR | S_IWUSR);
    bool replaced = stat(path_.c_str(), &theirs) != 0 || ours.st_ino != theirs.st_ino || ours.st_dev != theirs.st_dev;
    if (replaced) continue;
    std::string line = escaped(entry) + "\n";
    char last = '\n';
    if (ours.st_size > 0 && pread(file.number(), &last, 1, ours.st_size - 1) == 1 && last != '\n') line.insert(0, "\n");
    if (!file.write_all(line)) complain("cannot write", errno);
    return;
  }
}

void History::add(std::string_view entry) {
  std::size_t end = entry.find_last_not_of(" \t\n");
  if (end == std::string_view::npos || entry[0] == ' ') return;
  entry = entry.substr(0, end + 1);
  if (!entries_.empty() && entries_.back() == entry) return;
  entries_.emplace_back(entry);
  if (entries_.size() > kMostEntries + kSlack) entries_.erase(entries_.begin(), entries_.end() - kMostEntries);
  if (!path_.empty() && entry.size() <= kLongestEntry) append(entries_.back());
}

std::size_t History::before(std::size_t from, std::string_view prefix) const {
  for (std::size_t i = std::min(from, entries_.size()); i-- > 0;) {
    if (entries_[i].starts_with(prefix)) return i;
  }
  return npos;
}

std::size_t History::after(std::size_t from, std::string_view prefix) const {
  for (std::size_t i = from; i < entries_.size(); ++i) {
    if (entries_[i].starts_with(prefix)) return i;
  }
  return npos;
}

std::size_t History::search(std::size_t from, std::string_view text) const {
  for (std::size_t i = std::min(from, entries_.size()); i-- > 0;) {
    if (entries_[i].find(text) != std::string::npos) return i;
  }
  return npos;
}

std::size_t History::search_newer(std::size_t from, std::string_view text) const {
  for (std::size_t i = from; i < entries_.size(); ++i) {
    if (entries_[i].find(text) != std::string::npos) return i;
  }
  return npos;
}

}  // namespace editor
}  // namespace lutra
