#include <zlib.h>

#include "unit/io/memory_file.h"

using namespace lutra;

namespace {

std::string big(uint64_t value) {
  std::string out = little(value, 4);
  return {out.rbegin(), out.rend()};
}
std::string idx(int code, std::vector<uint64_t> sizes, const std::string& elements) {
  std::string out = {0, 0, static_cast<char>(code), static_cast<char>(sizes.size())};
  for (uint64_t size : sizes) out += big(size);
  return out + elements;
}
std::string gzipped(const std::string& bytes) {
  z_stream zlib{};
  REQUIRE(deflateInit2(&zlib, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&zlib, bytes.size()), '\0');
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  zlib.avail_in = static_cast<uInt>(bytes.size());
  zlib.next_out = reinterpret_cast<Bytef*>(out.data());
  zlib.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&zlib, Z_FINISH) == Z_STREAM_END);
  out.resize(zlib.total_out);
  deflateEnd(&zlib);
  return out;
}
std::string refused(const std::string& bytes) { return refusal(FileFormat::Idx, bytes); }

}  // namespace

TEST_CASE("an idx file's elements are big-endian", "[idx]") {
  std::string file = idx(0x0b, {2, 2}, std::string("\0\1\1\0\xff\xff\x80\0", 8));
  for (const std::string& bytes : {file, gzipped(file)}) {
    LoadedFile loaded = load_bytes(FileFormat::Idx, bytes);
    CHECK(loaded.entries[0].shape == Shape{2, 2});
    CHECK(values_of<int16_t>(loaded.entries[0]) == std::vector<int16_t>{1, 256, -1, -32768});
  }
}

TEST_CASE("an idx file is written as it was read", "[idx]") {
  for (const char* name : {"uint8.idx", "int16.idx", "float64.idx", "scalar.idx", "empty.idx"}) {
    std::string file = data_file(name);
    LoadedFile loaded = load_bytes(FileFormat::Idx, file);
    MemoryContents contents;
    contents.add("", loaded.entries[0].dtype, loaded.entries[0].shape, loaded.entries[0].bytes);
    CHECK(saved_bytes(FileFormat::Idx, contents) == file);
  }
  MemoryContents contents;
  contents.add<int64_t>("", {1}, {5});
  MemorySink sink("save: it");
  CHECK_THROWS_WITH(write_tensors(FileFormat::Idx, contents, sink, {}), Catch::Matchers::Contains("idx has no int64"));
}

TEST_CASE("an idx file that is wrong says where and what", "[idx]") {
  std::string good = idx(8, {2, 3}, "abcdef");
  says(refused(""), "byte 0: it ends at byte 0, 4 bytes were expected here");
  says(refused("\x7f" + good.substr(1)), "byte 0: this is no idx file: it does not begin with two zero bytes");
  says(refused(idx(7, {2, 3}, "abcdef")), "byte 2: its elements are of kind 7, which idx does not have");
  says(refused(std::string("\0\0\10\11", 4) + std::string(40, '\0')),
       "byte 3: it has 9 axes; Lutra's tensors have at most 8");
  says(refused(good.substr(0, 9)), "byte 8: it ends at byte 9, 4 bytes were expected here");
  says(refused(good.substr(0, 17)), "byte 12: shape (2, 3) of uint8 takes 6 bytes, and 5 follow");
  says(refused(good + "x"), "byte 12: shape (2, 3) of uint8 takes 6 bytes, and 7 follow");
  // Sizes that exceed any memory are refused before an allocation.
  says(refused(idx(14, {0xffffffff, 0xffffffff, 0xffffffff}, "")), "has more elements than memory can address");
}

TEST_CASE("a packed idx file that is wrong says where and what", "[idx]") {
  std::string packed = gzipped(idx(8, {2, 3}, "abcdef"));
  auto with_size = [&](uint64_t size) { return packed.substr(0, packed.size() - 4) + little(size, 4); };
  says(refused(packed.substr(0, 12)), "the packed file ends early");
  says(refused(packed.substr(0, packed.size() - 5)), "it");
  says(refused(with_size(0xffffffff)), "it is said to unpack to 4294967295 bytes, more than");
  says(refused(with_size(19)), "shape (2, 3) of uint8 takes 6 bytes, and 7 follow");
  says(refused(packed + packed), "more data follows its end; a file of several members");
  std::string file = idx(8, {2, 3}, "abcdef");
  says(refused(gzipped(file.substr(0, 10)) + gzipped(file.substr(10))), "unpack it with gunzip first");
  for (std::size_t at = 10; at < packed.size(); ++at) {
    std::string changed = packed;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    CHECK(refused(changed) != "(it was loaded)");
  }
}
