#include "unit/io/memory_file.h"

using namespace lutra;

namespace {

std::string npy(const std::string& header, const std::string& elements, char version = 1) {
  std::string length = little(header.size(), version == 1 ? 2 : 4);
  return std::string("\x93NUMPY") + version + '\0' + length + header + elements;
}

std::string header(const std::string& descr, const std::string& shape, const char* order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

std::string refused(const std::string& text) { return refusal(FileFormat::Npy, npy(text, "1234")); }

}  // namespace

TEST_CASE("an npy header may be written in any way that Python reads", "[npy]") {
  for (const char* text : {"{'descr':'<i4','fortran_order':False,'shape':(1,)}",
                           "{\"shape\": (1,), \"descr\": '=i4' ,'fortran_order': True,}",
                           "  {'fortran_order': False, 'shape': (1L,), 'descr': '<i4', }   \n"}) {
    for (char version : {1, 2, 3}) {
      LoadedFile file = load_bytes(FileFormat::Npy, npy(text, std::string("\5\0\0\0", 4), version));
      CHECK(file.entries[0].shape == Shape{1});
      CHECK(values_of<int32_t>(file.entries[0]) == std::vector<int32_t>{5});
    }
  }
}

TEST_CASE("an npy in column order, of any rank, comes out row-major", "[npy]") {
  // Element (i, j, k) of shape (2, 3, 4) is 100 i + 10 j + k; the first axis is the fastest.
  std::string elements;
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 2; ++i) elements += little(static_cast<uint64_t>(100 * i + 10 * j + k), 2);
  auto values =
      values_of<int16_t>(load_bytes(FileFormat::Npy, npy(header("<i2", "(2, 3, 4)", "True"), elements)).entries[0]);
  std::vector<int16_t> wanted;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 4; ++k) wanted.push_back(static_cast<int16_t>(100 * i + 10 * j + k));
  CHECK(values == wanted);
  CHECK(load_bytes(FileFormat::Npy, npy(header("<i2", "(3, 0, 2)", "True"), "")).entries[0].bytes.empty());
}

TEST_CASE("a column-ordered npy of many pieces", "[npy]") {
  constexpr int kRows = 700, kColumns = 901;
  std::string elements;
  for (int j = 0; j < kColumns; ++j)
    for (int i = 0; i < kRows; ++i) elements += little(static_cast<uint64_t>(i * kColumns + j), 4);
  auto values =
      values_of<int32_t>(load_bytes(FileFormat::Npy, npy(header("<i4", "(700, 901)", "True"), elements)).entries[0]);
  bool in_order = true;
  for (int i = 0; i < kRows * kColumns; ++i) in_order &= values[static_cast<std::size_t>(i)] == i;
  CHECK(in_order);
}

TEST_CASE("an npy that is wrong says where and what", "[npy]") {
  says(refusal(FileFormat::Npy, ""), "it ends at byte 0, 8 bytes were expected");
  says(refusal(FileFormat::Npy, std::string("PK\3\4aaaaaaaa")), "byte 0: this is no npy file");
  says(refusal(FileFormat::Npy, npy(header("<f4", "(1,)"), "1234", 4)), "npy version 4.0 is unknown");
  says(refusal(FileFormat::Npy, std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12)), "at most 65536 are read");
  says(refusal(FileFormat::Npy, std::string("\x93NUMPY\1\0\xff\0{", 11)), "255 bytes were expected here");
  says(refused(header("<f4", "(2,)")), "shape (2,) of float32 takes 8 bytes, 4 are there");
  says(refused(header("<i2", "(1,)")), "4 follow");
  says(refused(header("<f4", "(99999999999999999999,)")), "a size does not fit 64 bits");
  says(refused(header("<f4", "(3037000500, 3037000500)")), "more elements than memory can address");
  says(refused(header("<f4", "(1, 1, 1, 1, 1, 1, 1, 1, 1)")), "more than 8 axes");
  says(refused(header("<f4", "(1 1)")), "')' was expected");
  says(refused(header("<f4", "(,)")), "a size was expected");
  says(refused(header("<f4", "1")), "'(' was expected");
  says(refused(header("<f4", "(1,)", "None")), "True or False was expected");
  says(refused(header("<f4", "(1,)") + "x"), "nothing was expected");
  says(refused("{'descr': '<f4', 'shape': (1,)}"), "lacks 'fortran_order'");
  says(refused("{'descr': '<f4', 'descr': '<f4'}"), "'descr' twice");
  says(refused("{'desc': '<f4'}"), "unknown key 'desc'");
  says(refused("{'descr': '<f4"), "a closed string was expected");
  says(refused("{'descr': [('a', '<f4')]}"), "it holds records");
  says(refused("{'descr': '|O'}"), "Python objects (pickles)");
  says(refused("{'descr': ''}"), "its dtype is ''");
  says(refused("{'descr': '<c8\x1b[31m'}"), "its dtype is '<c8?[31m'");
  says(refused(std::string(5000, '{')), "a key was expected");
  says(refused(""), "the header ends where '{' was expected");
}
