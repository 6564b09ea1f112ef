#include "tensor/print.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tensor/float_text.h"

using namespace lutra;

namespace {

// One array and NumPy's str of it. How the fields are written: tests/support/generate/make_print_golden.py.
struct Golden {
  const char* type;
  const char* shape;
  const char* options;
  const char* source;
  const char* text;
};

#include "print_golden.inc"

using Bytes = std::vector<std::byte>;

DType type_named(std::string_view code) {
  static constexpr std::string_view kCodes[] = {"b1", "i1", "u1", "i2", "i4", "i8",
                                                "f2", "bf", "f4", "f8", "c8", "c16"};
  for (int i = 0; i < kDTypeCount; ++i) {
    if (kCodes[i] == code) return static_cast<DType>(i);
  }
  FAIL("no dtype " << code);
  return kNoDType;
}

Shape shape_of(const char* list) {
  Shape shape;
  for (char* at = const_cast<char*>(list); *at != 0; at += *at == ',') shape.push(std::strtoll(at, &at, 10));
  return shape;
}

PrintOptions options_of(std::string_view words) {
  PrintOptions options;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (at > 0 && words[at - 1] != ' ') continue;
    int number = std::atoi(words.data() + at + 1);
    switch (words[at]) {
      case 'p': options.precision = number; break;
      case 't': options.threshold = number; break;
      case 'e': options.edge_items = number; break;
      case 'w': options.line_width = number; break;
      default: FAIL("no option " << words);
    }
  }
  return options;
}

// splitmix64: the i-th number is a function of seed and i.
uint64_t noise(uint64_t seed, uint64_t i) {
  uint64_t x = seed * 0xD1342543DE82EF95 + (i + 1) * 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

// The bits of a float of `mantissa` and `exponent` bits, as floats() in make_print_golden.py makes them.
uint64_t float_bits(char kind, uint64_t seed, uint64_t r, int mantissa, int exponent) {
  uint64_t sign = 1ull << (mantissa + exponent);
  if (kind == 'b') return r & (2 * sign - 1);
  uint64_t bias = (1ull << (exponent - 1)) - 1;
  uint64_t spread = kind == 'e' ? std::min<uint64_t>(40, bias - 1) : 3;
  uint64_t power = (r >> 53) % (2 * spread + 1) + bias - spread;
  uint64_t infinity = ((1ull << exponent) - 1) << mantissa;
  if (kind == 's') {
    const uint64_t special[] = {infinity + (1ull << (mantissa - 1)), infinity, infinity | sign, 0, sign};
    uint64_t pick = (r >> 20) % (8 + seed % 20);
    if (pick < 5) return special[pick];
  }
  return (r & ((1ull << mantissa) - 1)) | power << mantissa | (r >> 63) * sign;
}

// k / 10^places, rounded once in Wide.
template <class Wide> Wide decimal(char kind, uint64_t seed, uint64_t r) {
  static constexpr Wide kPowers[] = {1, 10, 100, 1000, 10000};
  uint64_t places = kind == 'c' ? seed % 5 : kind == 'd' ? (r >> 32) % 5 : 0;
  int64_t k = kind == 'c'   ? 1000 + static_cast<int64_t>(r % 9000)
              : kind == 'd' ? static_cast<int64_t>(r % 20001) - 10000
                            : static_cast<int64_t>(r % 201) - 100;
  return static_cast<Wide>(r >> 63 ? -k : k) / kPowers[places];
}

template <class T> T element(char kind, uint64_t seed, uint64_t i) {
  uint64_t r = noise(seed, i);
  bool is_decimal = kind == 'c' || kind == 'd' || kind == 'i';
  if constexpr (std::is_same_v<T, bool>) {
    return r & 1;
  } else if constexpr (std::is_integral_v<T>) {
    return kind == 'i' ? static_cast<T>(static_cast<int64_t>(r % 201) - 100) : static_cast<T>(r);
  } else if constexpr (std::is_same_v<T, double>) {
    return is_decimal ? decimal<double>(kind, seed, r) : std::bit_cast<double>(float_bits(kind, seed, r, 52, 11));
  } else if constexpr (std::is_same_v<T, float>) {
    if (is_decimal) return decimal<float>(kind, seed, r);
    return std::bit_cast<float>(static_cast<uint32_t>(float_bits(kind, seed, r, 23, 8)));
  } else {
    T half(is_decimal ? decimal<float>(kind, seed, r) : 0.0f);
    if (!is_decimal) half.bits = static_cast<uint16_t>(float_bits(kind, seed, r, 10, 5));
    return half;
  }
}

// Copies what `shown` asks for out of the whole array, `at(i)` being the i-th element's bytes.
template <class At>
void gather(const Shape& shape, const Shown& shown, int axis, int64_t offset, const At& at, Bytes& out) {
  if (axis == shape.rank()) return at(offset, out);
  for (int64_t i = 0; i < shown.count[axis]; ++i) {
    gather(shape, shown, axis + 1, offset * shape[axis] + shown.index(axis, i, shape[axis]), at, out);
  }
}

Bytes shown_elements(const Golden& golden, DType type, const Shape& shape, const PrintOptions& options) {
  Bytes out;
  std::string_view source = golden.source;
  gather(
      shape, shown_part(shape, options), 0, 0,
      [&](int64_t i, Bytes& out) {
        std::size_t size = size_of(type);
        if (source[0] == 'x') {
          for (std::size_t byte = 0; byte < size; ++byte) {
            std::string digits(source.substr(1 + 2 * (static_cast<std::size_t>(i) * size + byte), 2));
            out.push_back(static_cast<std::byte>(std::strtoul(digits.c_str(), nullptr, 16)));
          }
          return;
        }
        uint64_t seed = std::strtoull(golden.source + 2, nullptr, 10);
        const int parts = is_complex(type) ? 2 : 1;
        for (int part = 0; part < parts; ++part) {
          visit_dtype(real_dtype(type), [&]<class T>(TypeTag<T>) {
            T value = element<T>(source[0], seed, static_cast<uint64_t>(parts * i + part));
            auto bytes = reinterpret_cast<const std::byte*>(&value);
            out.insert(out.end(), bytes, bytes + sizeof value);
          });
        }
      },
      out);
  return out;
}

// 64-bit FNV-1a
uint64_t hash(std::string_view text) {
  uint64_t value = 0xCBF29CE484222325;
  for (unsigned char byte : text) value = (value ^ byte) * 0x100000001B3;
  return value;
}

template <class T>
std::string print(std::initializer_list<double> values, Shape shape, const PrintOptions& options = {}) {
  Bytes bytes;
  for (double value : values) {
    T element = static_cast<T>(value);
    auto at = reinterpret_cast<const std::byte*>(&element);
    bytes.insert(bytes.end(), at, at + sizeof element);
  }
  return array_text(dtype_of<T>, shape, bytes.data(), options);
}

template <class T> std::string print_row(std::initializer_list<double> values) {
  return print<T>(values, Shape{static_cast<int64_t>(values.size())});
}

}  // namespace

TEST_CASE("arrays and scalars print as NumPy's str", "[print]") {
  std::size_t count = 0;
  for (const Golden& golden : kGolden) {
    ++count;
    DType type = type_named(golden.type);
    Shape shape = shape_of(golden.shape);
    PrintOptions options = options_of(golden.options);
    Bytes elements = shown_elements(golden, type, shape, options);
    std::string printed = array_text(type, shape, elements.data(), options);
    std::string expected = golden.text;
    bool same = expected[0] == '#' ? hash(printed) == std::strtoull(golden.text + 1, nullptr, 16) : printed == expected;
    if (same) continue;
    INFO("make_print_golden.py --show " << golden.type << " '" << golden.shape << "' '" << golden.options << "' "
                                        << golden.source << "\nexpected\n"
                                        << expected << "\nprinted\n"
                                        << printed);
    CHECK(same);
  }
  CHECK(count > 4000);
}

TEST_CASE("every float16 prints as NumPy's scalar", "[print]") {
  std::string all;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    auto half = static_cast<uint16_t>(bits);
    if (bits > 0) all += ' ';
    all += scalar_text(DType::Float16, reinterpret_cast<const std::byte*>(&half));
  }
  CHECK(hash(all) == kEveryFloat16);
}

TEST_CASE("every bfloat16 prints with the fewest digits that read back", "[print]") {
  int wrong = 0, too_long = 0;
  for (uint16_t bits = 1; bits < 0x7f80; ++bits) {
    BFloat16 value;
    value.bits = bits;
    Decimal decimal = shortest_decimal(DType::BFloat16, value);
    std::string text;
    append_exponent(text, decimal, decimal.count - 1, 2);
    if (BFloat16(std::strtof(text.c_str(), nullptr)).bits != bits) ++wrong;
    if (decimal.count == 1) continue;
    // The decimals with one digit less on both sides of it do not read back.
    std::string shorter(decimal.digits, static_cast<std::size_t>(decimal.count - 1));
    for (int64_t step : {0, 1}) {
      std::string other =
          std::to_string(std::stoll(shorter) + step) + "e" + std::to_string(decimal.exponent - (decimal.count - 2));
      if (BFloat16(std::strtof(other.c_str(), nullptr)).bits == bits) ++too_long;
    }
  }
  CHECK(wrong == 0);
  CHECK(too_long == 0);
}

TEST_CASE("bfloat16 follows float32's rules with its own digits and arithmetic", "[print]") {
  CHECK(print_row<BFloat16>({1, 2.5, -3.25}) == "[ 1.    2.5  -3.25]");
  CHECK(print_row<BFloat16>({0.1, 0.2}) == "[0.1 0.2]");
  CHECK(print_row<BFloat16>({1.0 / 3, 2}) == "[0.334 2.   ]");
  CHECK(print<BFloat16>({3.14159}, Shape{}) == "3.14");
  CHECK(print<BFloat16>({1e17}, Shape{}) == "1e+17");
  CHECK(print_row<BFloat16>({1e-4}) == "[0.0001]");  // less than 1e-4 by value, equal to it in bfloat16
  CHECK(print_row<BFloat16>({9984}) ==
        "[ 9984.]");  // shortest is 1e4, five digits wide; integers show all their digits
  CHECK(print<BFloat16>({9984}, Shape{}) == "10000.0");       // a scalar shows the shortest
  CHECK(print_row<BFloat16>({0.001, 1}) == "[0.001 1.   ]");  // 1/0.001 is 1000 in bfloat16
  CHECK(print_row<BFloat16>({3e38, std::numeric_limits<double>::infinity()}) == "[3.e+38    inf]");
}

TEST_CASE("a tensor's text names its shape and dtype", "[print]") {
  const float four[] = {22, 28, 49, 64};
  auto bytes = reinterpret_cast<const std::byte*>(four);
  CHECK(tensor_text(DType::Float32, {2, 2}, bytes) ==
        "lutra.Tensor(\n[[22. 28.]\n [49. 64.]], shape=(2, 2), dtype=float32)");
  CHECK(tensor_text(DType::Float32, {3}, bytes) == "lutra.Tensor([22. 28. 49.], shape=(3,), dtype=float32)");
  CHECK(tensor_text(DType::Float32, {}, bytes) == "lutra.Tensor(22.0, shape=(), dtype=float32)");
  CHECK(tensor_text(DType::Float32, {0, 3}, bytes) == "lutra.Tensor([], shape=(0, 3), dtype=float32)");
  CHECK(tensor_text(DType::Float32, {1, 1}, bytes, {}, "lutra.Variable") ==
        "lutra.Variable([[22.]], shape=(1, 1), dtype=float32)");
}

TEST_CASE("only the edges of a large tensor are asked for", "[print]") {
  Shown all = shown_part({10, 100}, {});
  CHECK(!all.summarised);
  CHECK(all.count[1] == 100);
  Shown edges = shown_part({int64_t{1} << 40, 6, 7}, {});
  CHECK(edges.summarised);
  CHECK(edges.count[0] == 6);
  CHECK(edges.index(0, 2, int64_t{1} << 40) == 2);
  CHECK(edges.index(0, 3, int64_t{1} << 40) == (int64_t{1} << 40) - 3);
  CHECK(!edges.cut[1]);  // an axis of six is shown whole
  CHECK(edges.cut[2]);
  CHECK(shown_part({5}, {.threshold = 2, .edge_items = 0}).count[0] == 2);
  CHECK(print<int32_t>({1, 5}, {5}, {.threshold = 2, .edge_items = 0}) == "[1 ... 5]");
  CHECK(shown_part({5}, {.threshold = 2, .edge_items = std::numeric_limits<int64_t>::max()}).count[0] == 5);
}
