#include "io/zip.h"
#include "unit/io/memory_file.h"

using namespace lutra;

namespace {

std::string zip_of(const std::vector<std::pair<std::string, std::string>>& members, bool compress,
                   uint64_t zip64_from = 0xffffffff) {
  MemorySink sink("save: it");
  ZipWriter zip(sink, compress, zip64_from);
  for (const auto& [name, bytes] : members) {
    zip.begin(name, bytes.size());
    zip.write(bytes.data(), bytes.size() / 2);
    zip.write(bytes.data() + bytes.size() / 2, bytes.size() - bytes.size() / 2);
    zip.end();
  }
  zip.finish();
  return text_of_sink(sink);
}

std::string one_npy(int32_t value) {
  MemoryContents contents;
  contents.add<int32_t>("", {1}, {value});
  return saved_bytes(FileFormat::Npy, contents);
}

std::string refused(const std::string& bytes) { return refusal(FileFormat::Npz, bytes); }

// The place of the n-th record with this signature.
std::size_t record(const std::string& zip, const char* signature, int n = 0) {
  std::size_t at = zip.find(signature);
  for (; n > 0; --n) at = zip.find(signature, at + 1);
  REQUIRE(at != std::string::npos);
  return at;
}
std::string changed(std::string zip, std::size_t at, const std::string& bytes) {
  return zip.replace(at, bytes.size(), bytes);
}

const std::string kLocal("PK\3\4"), kCentral("PK\1\2"), kEnd("PK\5\6");

}  // namespace

TEST_CASE("what is written as npz is read again, stored or packed, with zip64's fields or without", "[npz]") {
  std::vector<int32_t> many(100000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<int32_t>(i * i);
  MemoryContents big;
  big.add<int32_t>("", {100000}, many);
  std::string large = saved_bytes(FileFormat::Npy, big);
  for (bool compress : {false, true}) {
    for (uint64_t zip64_from : {uint64_t{0xffffffff}, uint64_t{1000}, uint64_t{0}}) {
      LoadedFile file =
          load_bytes(FileFormat::Npz,
                     zip_of({{"b.npy", large}, {"a.npy", one_npy(7)}, {".npy", one_npy(9)}}, compress, zip64_from));
      REQUIRE(file.entries.size() == 3);
      CHECK(file.entries[0].name.empty());
      CHECK(file.entries[1].name == "a");
      CHECK(values_of<int32_t>(file.entries[1]) == std::vector<int32_t>{7});
      CHECK(values_of<int32_t>(file.entries[2]) == many);
    }
  }
}

TEST_CASE("an npz that is wrong says where and what", "[npz]") {
  std::string good = zip_of({{"a.npy", one_npy(7)}, {"b.npy", one_npy(8)}}, false);
  REQUIRE(load_bytes(FileFormat::Npz, good).entries.size() == 2);
  std::size_t a = record(good, kCentral.c_str()), b = record(good, kCentral.c_str(), 1),
              end = record(good, kEnd.c_str());
  says(refused("PK"), "only 2 bytes long");
  says(refused(std::string(100, 'x')), "no directory at its end");
  says(refused(good.substr(0, good.size() - 1)), "no directory at its end");
  says(refused(changed(good, end + 10, little(3, 2))), "archives in several parts are not supported");
  says(refused(changed(good, end + 8, little(3, 2) + little(3, 2))), "said to have 3 members in 102 bytes");
  says(refused(changed(good, b, "XX")), "member 2 of the directory is missing");
  says(refused(changed(good, end + 8, little(1, 2) + little(1, 2))), "more members than its count");
  says(refused(changed(good, end + 8, little(60000, 2) + little(60000, 2))), "which does not fit the archive");
  says(refused(changed(good, end + 12, little(0xfffffff0, 4))), "which does not fit the archive");
  says(refused(changed(good, end + 16, little(0xfffffff0, 4))), "which does not fit the archive");
  says(refused(changed(good, end + 16, little(0xffffffff, 4))), "zip64 directory is missing");
  says(refused(changed(good, a + 8, little(1, 2))), "'a.npy' is encrypted");
  says(refused(changed(good, a + 10, little(14, 2))), "packed by method 14");
  says(refused(changed(good, a + 24, little(9, 4))), "its two sizes differ");
  says(refused(changed(good, a + 16, little(1, 4))), "checksum is wrong");
  says(refused(changed(good, a + 28, little(60000, 2))), "is cut short");
  says(refused(changed(good, a + 24, little(0xffffffff, 4))), "without a zip64 field");
  says(refused(changed(good, a + 42, little(0x7ffffff0, 4))), "lies outside the archive");
  says(refused(changed(good, a + 42, little(1, 4))), "is not where the directory says");
  says(refused(changed(good, b + 42, little(0, 4))), "lies over another member");
  says(refused(changed(good, b + 46, "a")), "the name 'a.npy' occurs twice");
  std::size_t longer = one_npy(7).size() + 60;
  says(refused(changed(good, a + 20, little(longer, 4) + little(longer, 4))), "'b.npy' lies over another member");
  says(refused(zip_of({{"a.txt", "hello"}}, false)), "'a.txt' is no .npy file");
  says(refused(zip_of({{"a.npy", "hello"}}, false)), "load: it, 'a.npy', byte 0");
}

TEST_CASE("a packed member that lies about itself is refused", "[npz]") {
  std::string npy = one_npy(7);
  std::string good = zip_of({{"a.npy", npy}}, true);
  std::size_t a = record(good, kCentral.c_str());
  REQUIRE(load_bytes(FileFormat::Npz, good).entries.size() == 1);
  // Some terabytes in a hundred bytes: refused before an allocation.
  says(refused(changed(good, a + 24, little(0xfffffff0, 4))), "more than deflate can");
  says(refused(changed(good, a + 24, little(npy.size() - 2, 4))), "4 bytes, 2 are there");
  says(refused(changed(good, a + 24, little(npy.size() + 2, 4))), "4 bytes, 6 follow");
  // The last element is packed away; the header's promise and the directory's agree, the bytes do not come.
  std::string cut = zip_of({{"a.npy", npy.substr(0, npy.size() - 2)}}, true);
  says(refused(changed(cut, record(cut, kCentral.c_str()) + 24, little(npy.size(), 4))), "end early");
  std::string more = zip_of({{"a.npy", npy + "more"}}, true);
  says(refused(changed(more, record(more, kCentral.c_str()) + 24, little(npy.size(), 4))), "longer than the");
  std::size_t data = 30 + 5;
  for (std::size_t i = data; i < a; ++i) {
    std::string damaged = changed(good, i, std::string(1, static_cast<char>(good[i] ^ 0x55)));
    CHECK(refused(damaged) != "(it was loaded)");
  }
}

TEST_CASE("names that a zip archive has no room for are refused", "[npz]") {
  for (const std::string& name : {std::string(65532, 'x'), std::string("a\0b", 3)}) {
    MemoryContents contents;
    contents.add<float>(name, {1}, {1.0f});
    CHECK_THROWS_AS(saved_bytes(FileFormat::Npz, contents), Error);
  }
  MemoryContents contents;
  contents.add<float>(std::string(65531, 'x'), {1}, {1.0f});
  CHECK(load_bytes(FileFormat::Npz, saved_bytes(FileFormat::Npz, contents)).entries[0].name.size() == 65531);
}
