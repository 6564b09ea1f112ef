#include <cmath>

#include "unit/io/memory_file.h"

using namespace lutra;

namespace {

LoadedFile read(const std::string& bytes, const ReadOptions& options = {}) {
  return load_bytes(FileFormat::Csv, bytes, options);
}

}  // namespace

TEST_CASE("lines, blanks, comments and the last line's end", "[csv]") {
  for (const char* text : {"1,2\n3,4\n", "1,2\n3,4", "1,2\r\n3,4\r\n", "1,2\r3,4", "\n\n1,2\n \t\n3,4\n\n",
                           "# x,y,z\n 1 ,\t2 \n#\n+3,4", "\xef\xbb\xbf\"1\",2\n3,\"4\" \n"}) {
    INFO(text);
    LoadedFile file = read(text);
    CHECK(file.entries[0].shape == Shape{2, 2});
    CHECK(values_of<int32_t>(file.entries[0]) == std::vector<int32_t>{1, 2, 3, 4});
  }
}

TEST_CASE("a window's edge anywhere in a number", "[csv]") {
  std::string text(65530, '\n');
  for (int pad = 0; pad < 12; ++pad) {
    LoadedFile file = read(text + std::string(static_cast<std::size_t>(pad), ' ') + "12345,-678\r\n9,10");
    CHECK(values_of<int32_t>(file.entries[0]) == std::vector<int32_t>{12345, -678, 9, 10});
  }
}

TEST_CASE("the kind of numbers decides the dtype, or the option", "[csv]") {
  CHECK(read("1").entries[0].dtype == DType::Int32);
  CHECK(read("2147483648").entries[0].dtype == DType::Int64);
  CHECK(read("1,2.0").entries[0].dtype == DType::Float32);
  CHECK(read("99999999999999999999").entries[0].dtype == DType::Float32);
  CHECK(read("").entries[0].dtype == DType::Float32);
  CHECK(values_of<int64_t>(read("9223372036854775807,-9223372036854775808").entries[0]) ==
        std::vector<int64_t>{INT64_MAX, INT64_MIN});
  ReadOptions options;
  options.dtype = DType::Int8;
  CHECK(values_of<int8_t>(read("127,-128,1e1", options).entries[0]) == std::vector<int8_t>{127, -128, 10});
  says(refusal(FileFormat::Csv, "1\n128", options), "line 2, field 1: '128' does not fit int8");
  says(refusal(FileFormat::Csv, "nan", options), "'nan' does not fit int8");
}

TEST_CASE("an empty field is nan, or the number that is asked for", "[csv]") {
  for (const char* text : {"1,,3\n,5,\n", "1, \t,3\r\n,5,", "\n1,\"\",3\n  ,5,\t"}) {
    INFO(text);
    LoadedFile file = read(text);
    CHECK(file.entries[0].shape == Shape{2, 3});
    std::vector<float> got = values_of<float>(file.entries[0]);
    for (std::size_t i : {1, 3, 5}) CHECK(std::isnan(got[i]));
    CHECK((got[0] == 1 && got[2] == 3 && got[4] == 5));
  }
  ReadOptions options;
  options.missing = Scalar::of(int64_t{-1});
  CHECK(values_of<int32_t>(read("1,,3", options).entries[0]) == std::vector<int32_t>{1, -1, 3});
  options.missing = Scalar::of(int64_t{1} << 40);
  CHECK(read("1,2", options).entries[0].dtype == DType::Int32);
  CHECK(read("1,", options).entries[0].dtype == DType::Int64);
  options.missing = Scalar::of(0.5);
  CHECK(values_of<float>(read(",", options).entries[0]) == std::vector<float>{0.5, 0.5});
  options.dtype = DType::Int8;
  says(refusal(FileFormat::Csv, "1,2", options), "missing is 0.5, which does not fit int8");
  options.missing.reset();
  says(refusal(FileFormat::Csv, "1,2\n3,\n", options),
       "line 2, field 2: it is empty, and int8 has no nan; {missing = 0}");
  options.dtype = DType::Bool;
  says(refusal(FileFormat::Csv, "1,", options), "bool has no nan");
  options.missing = Scalar::of(int64_t{1});
  CHECK(read("0,", options).entries[0].bytes == std::vector<std::byte>{std::byte{0}, std::byte{1}});
  options.missing = Scalar::of(int64_t{2});
  says(refusal(FileFormat::Csv, "0,", options), "missing is 2, which does not fit bool");
  // Fields are counted all the same, and several spaces are no missing numbers.
  says(refusal(FileFormat::Csv, "1,2\n3,4,\n"), "line 2: it has 3 fields, the first row has 2");
  ReadOptions spaces;
  spaces.delimiter = ' ';
  says(refusal(FileFormat::Csv, "1  2", spaces),
       "line 1, field 2: it is empty; exactly one space must separate two numbers");
  ReadOptions tabs;
  tabs.delimiter = '\t';
  CHECK(read("\t\t\n", tabs).entries[0].shape == Shape{1, 3});
  // Below a comment that is a header a first row may have empty fields.
  tabs.header = true;
  LoadedFile file = read("# a\tb\n1\t\n", tabs);
  CHECK(file.columns == std::vector<std::string>{"a", "b"});
  CHECK(file.entries[0].shape == Shape{1, 2});
}

TEST_CASE("a header names the columns", "[csv]") {
  ReadOptions options;
  options.header = true;
  options.delimiter = '\t';
  LoadedFile file = read("# a b\t\"c\"\"\t\"\t\n1\t2\t3\n", options);
  CHECK(file.columns == std::vector<std::string>{"a b", "c\"\t", ""});
  CHECK(file.entries[0].shape == Shape{1, 3});
  CHECK(read("", options).columns.empty());
  says(refusal(FileFormat::Csv, "a\n1\t2", options), "line 2: it has 2 fields, the header has 1");
}

TEST_CASE("rows longer than a piece are written and read again", "[csv]") {
  std::vector<double> values;
  for (int i = 0; i < 700000; ++i) values.push_back(i * 0.37 - 1e5);
  MemoryContents contents;
  contents.add<double>("", {7, 100000}, values);
  ReadOptions options;
  options.dtype = DType::Float64;
  LoadedFile file = read(saved_bytes(FileFormat::Csv, contents), options);
  CHECK(file.entries[0].shape == Shape{7, 100000});
  CHECK(values_of<double>(file.entries[0]) == values);
}
