#include "io/sink.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "unit/io/memory_file.h"

using namespace lutra;

namespace {

// A folder of its own, gone at the end.
struct Folder {
  std::string path;
  Folder() {
    char name[] = "/tmp/lutra_sink_XXXXXX";
    REQUIRE(mkdtemp(name) != nullptr);
    path = name;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string read(const std::string& name) const {
    std::ifstream file(path + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t count() const {
    std::size_t found = 0;
    for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator(path)) ++found;
    return found;
  }
};

}  // namespace

TEST_CASE("a file appears at commit, whole, and not without", "[sink]") {
  Folder folder;
  {
    AtomicFile file("save", folder.path + "/x", nullptr);
    file.write("first");
    CHECK(folder.read("x").empty());
    CHECK(!std::filesystem::exists(folder.path + "/x"));
    file.commit();
  }
  CHECK(folder.read("x") == "first");
  {
    AtomicFile file("save", folder.path + "/x", nullptr);
    file.write("second");
  }
  CHECK(folder.read("x") == "first");
  CHECK(folder.count() == 1);
}

TEST_CASE("small and large writes, and writes over them, keep their places", "[sink]") {
  Folder folder;
  std::string wanted;
  AtomicFile file("save", folder.path + "/x", nullptr);
  MemorySink memory("save: memory");
  for (std::size_t size : {3u, 70000u, 1u, 65535u, 65536u, 2u, 200000u, 0u, 5u}) {
    std::string piece(size, static_cast<char>('a' + size % 26));
    file.write(piece);
    memory.write(piece);
    wanted += piece;
    if (wanted.size() < 10) continue;
    for (std::size_t at : {std::size_t{1}, wanted.size() - 4}) {
      file.overwrite(at, "WXYZ");
      memory.overwrite(at, "WXYZ");
      wanted.replace(at, 4, "WXYZ");
    }
  }
  CHECK(file.size() == wanted.size());
  file.commit();
  CHECK(folder.read("x") == wanted);
  CHECK(text_of_sink(memory) == wanted);
}

TEST_CASE("new files take the mask's permissions, old ones keep theirs", "[sink]") {
  Folder folder;
  mode_t before = umask(027);
  for (int round = 0; round < 2; ++round) {
    AtomicFile file("save", folder.path + "/x", nullptr);
    file.commit();
    struct stat facts;
    REQUIRE(stat((folder.path + "/x").c_str(), &facts) == 0);
    CHECK((facts.st_mode & 0777) == (round == 0 ? 0640u : 0604u));
    chmod((folder.path + "/x").c_str(), 0604);
  }
  umask(before);
}

TEST_CASE("a name in the working folder", "[sink]") {
  Folder folder;
  std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path);
  {
    AtomicFile file("save", "x", nullptr);
    file.write("here");
    file.commit();
  }
  std::filesystem::current_path(before);
  CHECK(folder.read("x") == "here");
  CHECK_THROWS_AS(AtomicFile("save", "/dev/full", nullptr), Error);
}

TEST_CASE("no room for all of it: the old file stays, nothing else does", "[sink]") {
  Folder folder;
  {
    AtomicFile file("save", folder.path + "/x", nullptr);
    file.write("old");
    file.commit();
  }
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  auto handler = signal(SIGXFSZ, SIG_IGN);
  rlimit small = {100000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  ErrorCode code = ErrorCode::Internal;
  try {
    AtomicFile file("save", folder.path + "/x", nullptr);
    file.write(std::string(300000, 'x'));
    file.commit();
  } catch (const Error& error) {
    code = error.code();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  CHECK(code == ErrorCode::ResourceExhausted);
  CHECK(folder.read("x") == "old");
  CHECK(folder.count() == 1);
}
