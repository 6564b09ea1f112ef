#include "repl/editor/history.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "support/catch.h"

using namespace lutra;
using editor::History;

namespace {

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/lutra-history-XXXXXX";
    REQUIRE(mkdtemp(name) != nullptr);
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name = "history") const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

}  // namespace

TEST_CASE("entries come back as they were", "[history]") {
  Folder folder;
  const std::string entries[] = {"x = 1", "do\n  y\nend", "'\\n' .. [[\\\\]]", "日本\x01\xff"};
  {
    History history(folder.file("a/b/history"));
    for (const std::string& entry : entries) history.add(entry);
    CHECK(history.take_message().empty());
  }
  History again(folder.file("a/b/history"));
  CHECK(again.entries() == std::vector<std::string>(std::begin(entries), std::end(entries)));
  struct stat status = {};
  REQUIRE(stat(folder.file("a/b/history").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  REQUIRE(stat(folder.file("a/b").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0700);
}

TEST_CASE("what is not kept", "[history]") {
  Folder folder;
  History history(folder.file());
  for (const char* entry : {"x", "x", " secret", "", "\n", "y\n", "x"}) history.add(entry);
  CHECK(history.entries() == std::vector<std::string>{"x", "y", "x"});
  CHECK(content(folder.file()) == "x\ny\nx\n");
}

TEST_CASE("sessions at the same time lose nothing", "[history]") {
  Folder folder;
  std::vector<std::thread> sessions;
  for (int i = 0; i < 4; ++i) {
    sessions.emplace_back([&folder, i] {
      History history(folder.file());
      for (int j = 0; j < 100; ++j) history.add("session " + std::to_string(i) + " entry " + std::to_string(j));
    });
  }
  for (std::thread& session : sessions) session.join();
  CHECK(History(folder.file()).entries().size() == 400);
}

TEST_CASE("a damaged file is read as far as it can be", "[history]") {
  Folder folder;
  write(folder.file(), std::string("good\n\n\0bytes\xff\n", 14) + std::string(1 << 20, 'x') + "\ncut off");
  History history(folder.file());
  REQUIRE(history.entries().size() == 3);
  CHECK(history.entries()[0] == "good");
  CHECK(history.entries()[2] == "cut off");
  history.add("next");
  CHECK(content(folder.file()).ends_with("\ncut off\nnext\n"));
}

TEST_CASE("a long file is cut to the newest entries, also while others append", "[history]") {
  Folder folder;
  std::string many;
  for (int i = 0; i < 15000; ++i) many += "entry " + std::to_string(i) + "\n";
  {
    History other(folder.file());
    other.add("first");
    write(folder.file(), many);
    History history(folder.file());
    CHECK(history.entries().size() == History::kMostEntries);
    other.add("of the other");
    history.add("last");
  }
  std::string kept = content(folder.file());
  CHECK(kept.starts_with("entry 5000\n"));
  CHECK(kept.ends_with("entry 14999\nof the other\nlast\n"));
}

TEST_CASE("a huge file costs little", "[history]") {
  Folder folder;
  write(folder.file(), "old\n");
  std::filesystem::resize_file(folder.file(), std::uintmax_t{1} << 36);  // a hole
  std::ofstream(folder.file(), std::ios::app) << "\nnew\n";
  History history(folder.file());
  REQUIRE_FALSE(history.entries().empty());
  CHECK(history.entries().back() == "new");
  CHECK(std::filesystem::file_size(folder.file()) < 10000000);
}

TEST_CASE("a file with a line that is no entry is kept under another name", "[history]") {
  Folder folder;
  for (const char* end : {"", "\nnew\n"}) {
    const std::string line = std::string(5 << 20, 'x') + end;
    write(folder.file(), line);
    std::filesystem::remove(folder.file() + ".old");
    History history(folder.file());
    CHECK(history.take_message() == "history: " + folder.file() +
                                        " has lines that are too long for entries: it was moved to " + folder.file() +
                                        ".old");
    history.add("next");
    CHECK(content(folder.file() + ".old") == line);
    CHECK(content(folder.file()) == (*end == '\0' ? "next\n" : "new\nnext\n"));
  }
  // A second file does not replace the first one's.
  write(folder.file(), std::string(5 << 20, 'y'));
  History second(folder.file());
  CHECK(second.take_message().starts_with("history: "));
  CHECK(content(folder.file() + ".old")[0] == 'x');
  CHECK(content(folder.file() + ".old." + std::to_string(getpid()))[0] == 'y');
}

TEST_CASE("a file that cannot be read or written is said once", "[history]") {
  Folder folder;
  std::filesystem::create_directory(folder.file());
  History history(folder.file());
  CHECK(history.take_message() == "history: cannot read " + folder.file() + ": Is a directory");
  history.add("x");
  CHECK(history.entries().size() == 1);
  CHECK(history.take_message().empty());

  History nowhere("/proc/nowhere/history");
  CHECK(nowhere.take_message().empty());
  nowhere.add("x");
  nowhere.add("y");
  CHECK(nowhere.take_message().starts_with("history: cannot write /proc/nowhere/history: "));
  CHECK(nowhere.take_message().empty());

  History null("/dev/null");
  null.add("x");
  CHECK(null.take_message().empty());

  History full("/dev/full");
  CHECK(full.take_message() == "history: /dev/full is no regular file: entries are kept until the session ends");
  full.add("x");
  CHECK(full.entries().size() == 1);
  CHECK(full.take_message().empty());
}

TEST_CASE("where the history is", "[history]") {
  setenv("HOME", "/home/x", 1);
  unsetenv("XDG_STATE_HOME");
  unsetenv("LUTRA_HISTORY");
  CHECK(default_history_path() == "/home/x/.local/state/lutra/history");
  setenv("XDG_STATE_HOME", "/state", 1);
  CHECK(default_history_path() == "/state/lutra/history");
  setenv("XDG_STATE_HOME", "relative", 1);  // to be ignored, says XDG
  CHECK(default_history_path() == "/home/x/.local/state/lutra/history");
  setenv("LUTRA_HISTORY", "", 1);
  CHECK(default_history_path().empty());
  setenv("LUTRA_HISTORY", "/elsewhere", 1);
  CHECK(default_history_path() == "/elsewhere");
  unsetenv("LUTRA_HISTORY");
}
