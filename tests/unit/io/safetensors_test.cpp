#include "unit/io/memory_file.h"

using namespace lutra;

namespace {

std::string file(const std::string& header, const std::string& elements) {
  return little(header.size(), 8) + header + elements;
}
std::string refused(const std::string& header, const std::string& elements = "1234") {
  return refusal(FileFormat::Safetensors, file(header, elements));
}
std::string tensor(const std::string& name, const std::string& dtype, const std::string& shape,
                   const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":[" + shape + "],\"data_offsets\":[" + offsets + "]}";
}

}  // namespace

TEST_CASE("a safetensors file in any legal form", "[safetensors]") {
  LoadedFile loaded =
      load_bytes(FileFormat::Safetensors,
                 file("  {\"__metadata__\": {\"a\": \"b\"}, \"b\\u00e9\": {\"data_offsets\": [4, 6], \"shape\": [], "
                      "\"dtype\": \"I16\"},\n" +
                          tensor("a", "U8", "2,2", "0,4") + "," + tensor("none", "F64", "0,7", "4,4") + "}   ",
                      std::string("\1\2\3\4\5\0", 6)));
  REQUIRE(loaded.entries.size() == 3);
  CHECK(loaded.entries[0].name == "a");
  CHECK(values_of<uint8_t>(loaded.entries[0]) == std::vector<uint8_t>{1, 2, 3, 4});
  CHECK(loaded.entries[1].name == "b\xc3\xa9");
  CHECK(values_of<int16_t>(loaded.entries[1]) == std::vector<int16_t>{5});
  CHECK(loaded.entries[2].shape == Shape{0, 7});
  CHECK(load_bytes(FileFormat::Safetensors, file("{}", "")).entries.empty());
}

TEST_CASE("what is written as safetensors lies aligned", "[safetensors]") {
  MemoryContents contents;
  contents.add<uint8_t>("a", {3}, {1, 2, 3});
  contents.add<double>("b", {2}, {0.5, -1});
  contents.add<float>("quote\"\n", {}, {2});
  std::string bytes = saved_bytes(FileFormat::Safetensors, contents);
  CHECK(bytes.find(R"("b":{"dtype":"F64","shape":[2],"data_offsets":[0,16]})") != std::string::npos);
  CHECK(bytes.find(R"("a":{"dtype":"U8","shape":[3],"data_offsets":[20,23]})") != std::string::npos);
  CHECK((bytes.size() - 23) % 8 == 0);
  LoadedFile loaded = load_bytes(FileFormat::Safetensors, bytes);
  CHECK(values_of<double>(loaded.entries[1]) == std::vector<double>{0.5, -1});
  CHECK(loaded.entries[2].name == "quote\"\n");
}

TEST_CASE("a safetensors file that is wrong says what", "[safetensors]") {
  says(refusal(FileFormat::Safetensors, "1234"), "the file ends at byte 4");
  says(refusal(FileFormat::Safetensors, std::string(8, '\xff') + "{}"), "the header is said to be");
  says(refusal(FileFormat::Safetensors, little(3, 8) + "{}"),
       "the header is said to be 3 bytes long; the file has 2 more");
  says(refused("{"), "no JSON from here on");
  says(refused("{} x"), "byte 11: the header is no JSON");
  says(refused(""), "no JSON");
  says(refused("{\"\xff\": {}}"), "no JSON");
  says(refused("5"), "is a number, expected an object");
  says(refused("[" + std::string(100000, '[')), "is a list, expected an object");
  says(refused("{\"a\":" + std::string(100000, '[')), "has a list where there can be none, at 'a'");
  says(refused("{\"a\":{\"dtype\":{\"b\":1}}}"), "has an object where there can be none");
  says(refused("{\"a\":{\"shape\":[[1]]}}"), "has a list where there can be none");
  says(refused("{\"a\":{\"shape\":[-1]}}"), "a negative number");
  says(refused("{\"a\":{\"shape\":[1.5]}}"), "a fraction");
  says(refused("{\"a\":{\"shape\":[99999999999999999999]}}"), "a fraction");
  says(refused("{\"a\":{\"shape\":[9223372036854775808]}}"), "that is no size");
  says(refused("{\"a\":{\"shape\":[1,1,1,1,1,1,1,1,1]}}"), "more than 8 axes");
  says(refused("{\"a\":{\"shape\":null}}"), "null");
  says(refused("{\"a\":true}"), "a boolean");
  says(refused("{\"__metadata__\":{\"a\":1}}"), "a number where there can be none");
  says(refused("{\"__metadata__\":{},\"__metadata__\":{}}"), "__metadata__ twice");
  says(refused("{\"a\":{\"dtype\":\"F8_E4M3\"}}"), "dtype 'F8_E4M3' for 'a', which Lutra does not have");
  says(refused("{\"a\":{\"stride\":1}}"), "unknown field 'stride' for 'a'");
  says(refused("{\"a\":{}}"), "lacks 'dtype' for 'a'");
  says(refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}"), "lacks 'data_offsets' for 'a'");
  says(refused("{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}"), "'dtype' twice");
  says(refused("{" + tensor("a", "F32", "1", "0,4,4") + "}"), "more than 2 data_offsets");
  says(refused("{" + tensor("a", "F32", "1", "0") + "}"), "has 1 data_offsets for 'a', expected 2");
  says(refused("{" + tensor("a", "F32", "1", "4,0") + "}"), "its data_offsets are 4 and 0, of 4 bytes");
  says(refused("{" + tensor("a", "F32", "1", "0,5") + "}"), "its data_offsets are 0 and 5, of 4 bytes");
  says(refused("{" + tensor("a", "F32", "2", "0,4") + "}"), "takes 8 bytes, its data_offsets give 4");
  says(refused("{" + tensor("a", "F32", "4294967296,4294967296", "0,4") + "}"),
       "more elements than memory can address");
  says(refused("{" + tensor("a", "F32", "1", "0,4") + "," + tensor("b", "U8", "1", "3,4") + "}"), "'b', byte");
  says(refused("{" + tensor("a", "F32", "1", "0,4") + "," + tensor("b", "U8", "1", "3,4") + "}"),
       "it lies over another");
  says(refused("{" + tensor("a", "U8", "1", "0,1") + "," + tensor("b", "U8", "2", "2,4") + "}"), "a gap before it");
  says(refused("{" + tensor("a", "U8", "1", "0,1") + "}"), "3 bytes belong to no tensor");
  says(refused("{" + tensor("a", "U8", "2", "0,2") + "," + tensor("a", "U8", "2", "2,4") + "}"), "the name 'a' twice");
}
