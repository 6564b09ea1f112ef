#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdio>
#include <cstdlib>

#include "unit/io/memory_file.h"

using namespace lutra;

namespace {

std::string big(uint64_t value) {
  std::string out = little(value, 4);
  return {out.rbegin(), out.rend()};
}
std::string chunk(const std::string& type, const std::string& bytes) {
  std::string body = type + bytes;
  uLong sum = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big(bytes.size()) + body + big(sum);
}
std::string deflated(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  out.resize(size);
  return out;
}
std::string png(uint32_t width, uint32_t height, int bits, int colour, int interlace, const std::string& rows) {
  std::string header =
      big(width) + big(height) +
      std::string{static_cast<char>(bits), static_cast<char>(colour), 0, 0, static_cast<char>(interlace)};
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", deflated(rows)) + chunk("IEND", "");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// The process gets no block of 4 KiB any more; smaller ones there are.
void use_up_memory() {
  long pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%ld", &pages) != 1) _exit(10);
  std::fclose(file);
  const rlim_t now = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE));
  const rlimit limit{now, now};
  if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(11);
  for (std::size_t bytes = std::size_t{1} << 20; bytes >= 4096; bytes /= 2) {
    while (void* block = std::malloc(bytes)) *static_cast<volatile char*>(block) = 1;
  }
}

// The code of what f() throws in a child without memory; 100: nothing, -1: the child crashed.
template <class F> int code_without_memory(const F& f) {
  pid_t child = fork();
  if (child == 0) {
    use_up_memory();
    try {
      f();
    } catch (const Error& error) {
      _exit(static_cast<int>(error.code()));
    } catch (...) {
      _exit(99);
    }
    _exit(100);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
#endif

std::string refused(const std::string& bytes) { return refusal(FileFormat::Png, bytes); }

}  // namespace

TEST_CASE("few bits are spread over eight, of sixteen the upper eight are taken", "[png]") {
  // Each row begins with its filter, none.
  LoadedFile two = load_bytes(FileFormat::Png, png(4, 1, 2, 0, 0, std::string("\0\x1b", 2)));
  CHECK(two.entries[0].shape == Shape{1, 4, 1});
  CHECK(values_of<uint8_t>(two.entries[0]) == std::vector<uint8_t>{0, 85, 170, 255});
  LoadedFile sixteen = load_bytes(FileFormat::Png, png(1, 1, 16, 2, 0, std::string("\0\x10\xff\xf0\x00\xff\xff", 7)));
  CHECK(values_of<uint8_t>(sixteen.entries[0]) == std::vector<uint8_t>{0x10, 0xf0, 0xff});
}

TEST_CASE("an interlaced picture comes out whole", "[png]") {
  // Adam7 of 2 x 2: the first pass has (0, 0), the sixth (0, 1), the seventh the second row.
  std::string rows("\0\1\0\2\0\3\4", 7);
  CHECK(values_of<uint8_t>(load_bytes(FileFormat::Png, png(2, 2, 8, 0, 1, rows)).entries[0]) ==
        std::vector<uint8_t>{1, 2, 3, 4});
}

TEST_CASE("a picture of one million columns and of one million rows", "[png]") {
  for (Shape shape : {Shape{1, 1000000, 1}, Shape{1000000, 1, 1}}) {
    std::vector<uint8_t> values(1000000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint8_t>(i * 7);
    MemoryContents contents;
    contents.add<uint8_t>("", shape, values);
    LoadedFile file = load_bytes(FileFormat::Png, saved_bytes(FileFormat::Png, contents));
    CHECK(file.entries[0].shape == shape);
    CHECK(values_of<uint8_t>(file.entries[0]) == values);
  }
}

TEST_CASE("a png that is wrong says what", "[png]") {
  std::string good = png(2, 2, 8, 0, 0, std::string("\0\1\2\0\3\4", 6));
  REQUIRE(values_of<uint8_t>(load_bytes(FileFormat::Png, good).entries[0]) == std::vector<uint8_t>{1, 2, 3, 4});
  says(refused(""), "the file ends at byte 0");
  says(refused("GIF89a..........."), "this is no png file that can be read");
  for (std::size_t cut = 8; cut < good.size() - 12; ++cut) CHECK(refused(good.substr(0, cut)) != "(it was loaded)");
  says(refused(png(1000000, 1000000, 8, 2, 0, "")), "a picture of 1000000 x 1000000 is too large for a file of");
  says(refused(png(0x7fffffff, 1, 8, 2, 0, "")), "this is no png file that can be read");
  says(refused(png(0, 1, 8, 2, 0, "")), "this is no png file that can be read");
  says(refused(png(2, 2, 8, 0, 0, std::string("\0\1\2", 3))), "this is no png file that can be read");
  says(refused(png(2, 2, 8, 0, 0, std::string("\0\1\2\x09\3\4", 6))), "this is no png file that can be read");
  std::string damaged = good;
  damaged[45] ^= 1;
  says(refused(damaged), "this is no png file that can be read");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("a picture that there is no memory to read or write is not damaged", "[png]") {
  const std::string good = png(2, 2, 8, 0, 0, std::string("\0\1\2\0\3\4", 6));
  MemoryContents contents;
  contents.add("", Shape{2, 2}, std::vector<uint8_t>{1, 2, 3, 4});
  MemorySink sink("save: it");
  sink.write(std::string(1000, ' '));
  CHECK(code_without_memory([&] { load_bytes(FileFormat::Png, good); }) ==
        static_cast<int>(ErrorCode::ResourceExhausted));
  CHECK(code_without_memory([&] { write_tensors(FileFormat::Png, contents, sink, {}); }) ==
        static_cast<int>(ErrorCode::ResourceExhausted));
}
#endif
