// The options of an op: a plain struct that kernels read, and a table with each option's offset in it. The binding,
// help and error texts iterate over the table; no other code knows an op's options by name.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/scalar.h"
#include "core/shape.h"

namespace lutra {

// Lists of any of these types are equal if they have equal entries.
template <class T> bool have_equal_entries(const T& a, const T& b) {
  return a.count == b.count && (a.count < 1 || std::equal(a.v, a.v + a.count, b.v));
}

// Axes as the user gave them: 0-based, negative from the end, not yet checked against a rank.
struct Axes {
  static constexpr int8_t kNotGiven = -1;
  int8_t count = kNotGiven;
  bool is_list = false;
  int64_t v[kMaxRank];
  bool given() const { return count != kNotGiven; }
  bool operator==(const Axes& other) const { return have_equal_entries(*this, other); }
};

// A shape as the user gave it: sizes not yet checked.
struct Dims {
  static constexpr int8_t kNotGiven = -1;
  int8_t count = kNotGiven;
  int64_t v[kMaxRank];
  bool given() const { return count != kNotGiven; }
  bool operator==(const Dims& other) const { return have_equal_entries(*this, other); }
  // Requires given().
  Shape shape() const { return Shape({v, static_cast<std::size_t>(count)}); }
  static Dims of(const Shape& shape) {
    Dims dims;
    dims.count = static_cast<int8_t>(shape.rank());
    for (int i = 0; i < shape.rank(); ++i) dims.v[i] = shape[i];
    return dims;
  }
};

// Up to eight integers, or one.
struct Counts {
  static constexpr int8_t kNotGiven = -1;
  int8_t count = kNotGiven;
  bool is_list = false;
  int64_t v[kMaxRank];
  bool given() const { return count != kNotGiven; }
  bool operator==(const Counts& other) const { return have_equal_entries(*this, other); }
};

// A list of integers of any length, or one. The list is borrowed: whoever keeps or queues a call's attributes copies it
// along (OpDef::ints_at).
struct Ints {
  const int64_t* v = nullptr;  // null: not a list
  int64_t count = 0;
  int64_t one = 0;
  bool is_list() const { return v != nullptr; }
  bool operator==(const Ints& other) const {
    return is_list() == other.is_list() && (is_list() ? have_equal_entries(*this, other) : one == other.one);
  }
};

// How many elements are added before and after each axis.
struct Pads {
  int8_t count = 0;
  int64_t v[kMaxRank][2];
  bool operator==(const Pads& other) const {
    return count == other.count && std::equal(&v[0][0], &v[0][0] + 2 * count, &other.v[0][0]);
  }
};

// One result of an op that returns a list (OpDef::pieces): `size` elements of an axis, from `first` on.
struct Part {
  int64_t first = 0;
  int64_t size = 0;
  bool operator==(const Part&) const = default;
};

// A number of either kind; kind Bool with i = 0 means "not given".
struct Number {
  Scalar value = Scalar::of(false);
  bool given() const { return value.kind != Scalar::Kind::Bool; }
};

// Identifies random bits: the executor takes the next range of its Context's counter, or derives it from `seed`.
struct Rng {
  uint64_t key = 0;
  uint64_t counter = 0;
  bool operator==(const Rng&) const = default;
};

// A seed for one call, whose random bits then depend on it alone.
struct Seed {
  bool given = false;
  int64_t value = 0;
  bool operator==(const Seed&) const = default;
};

// The number of the first index: 1 from Lua, 0 from C++.
struct IndexBase {
  int8_t value = 0;
  bool operator==(const IndexBase&) const = default;
};

// One number for height and width, or one for each.
struct Pair {
  bool given = false;
  int64_t v[2] = {1, 1};
  bool operator==(const Pair&) const = default;
};

// Padding of an image under a moving window: none (Valid), enough for one result per stride (Same), or this many rows
// and columns on each side (Given).
struct Padding {
  enum class Kind : uint8_t { Valid, Same, Given } kind = Kind::Valid;
  int64_t v[2] = {0, 0};
  bool operator==(const Padding&) const = default;
};

// A short text, stored inline so that the attributes can be copied as bytes.
struct Text {
  static constexpr int kMost = 127;
  uint8_t length = 0;
  char chars[kMost] = {};
  std::string_view view() const { return {chars, length}; }
  bool operator==(const Text& other) const { return view() == other.view(); }
  // False, and nothing changes, if it does not fit.
  bool assign(std::string_view words) {
    if (words.size() > kMost) return false;
    length = static_cast<uint8_t>(words.size());
    std::memcpy(chars, words.data(), words.size());
    return true;
  }
};

enum class AttrType : uint8_t {
  Bool,
  Int,
  Float,
  DType,
  Number,
  Scalar,
  Axes,
  Dims,
  Text,
  Counts,
  Ints,
  Pads,
  Part,
  Pair,
  Padding,
  Rng,
  Seed,
  IndexBase
};

struct AttrDef {
  const char* name;
  AttrType type;
  uint16_t offset;
  const char* summary;
  bool is_required = false;
  bool is_positional = false;  // may follow the inputs by position, in table order
  bool is_before_inputs = false;
  bool is_leading_optional = false;  // skipped when there are too few positional values: range(limit)
  const char* fallback = "";         // the default as help prints it

  AttrDef positional() const {
    AttrDef copy = *this;
    copy.is_positional = true;
    return copy;
  }
  AttrDef required() const {
    AttrDef copy = *this;
    copy.is_required = true;
    copy.is_positional = true;
    return copy;
  }
  AttrDef before_inputs() const {
    AttrDef copy = required();
    copy.is_before_inputs = true;
    return copy;
  }
  AttrDef leading_optional() const {
    AttrDef copy = positional();
    copy.is_leading_optional = true;
    return copy;
  }
  AttrDef otherwise(const char* shown) const {
    AttrDef copy = *this;
    copy.fallback = shown;
    return copy;
  }
};

inline constexpr std::size_t kMaxAttrBytes = 256;

struct AttrTable {
  std::vector<AttrDef> defs;
  std::vector<std::byte> defaults;  // a default-constructed attribute struct
  // Whether two attribute structs are equal, if there are no definitions by which to compare them.
  bool (*are_equal)(const std::byte* a, const std::byte* b) = nullptr;
};

template <class T> constexpr AttrType attr_type_of() {
  if constexpr (std::is_same_v<T, bool>) return AttrType::Bool;
  else if constexpr (std::is_same_v<T, int64_t>) return AttrType::Int;
  else if constexpr (std::is_same_v<T, double>) return AttrType::Float;
  else if constexpr (std::is_same_v<T, DType>) return AttrType::DType;
  else if constexpr (std::is_same_v<T, Number>) return AttrType::Number;
  else if constexpr (std::is_same_v<T, Scalar>) return AttrType::Scalar;
  else if constexpr (std::is_same_v<T, Axes>) return AttrType::Axes;
  else if constexpr (std::is_same_v<T, Counts>) return AttrType::Counts;
  else if constexpr (std::is_same_v<T, Ints>) return AttrType::Ints;
  else if constexpr (std::is_same_v<T, Pads>) return AttrType::Pads;
  else if constexpr (std::is_same_v<T, Part>) return AttrType::Part;
  else if constexpr (std::is_same_v<T, Dims>) return AttrType::Dims;
  else if constexpr (std::is_same_v<T, Pair>) return AttrType::Pair;
  else if constexpr (std::is_same_v<T, Padding>) return AttrType::Padding;
  else if constexpr (std::is_same_v<T, Text>) return AttrType::Text;
  else if constexpr (std::is_same_v<T, Rng>) return AttrType::Rng;
  else if constexpr (std::is_same_v<T, Seed>) return AttrType::Seed;
  else {
    static_assert(std::is_same_v<T, IndexBase>, "an attribute type the table does not know");
    return AttrType::IndexBase;
  }
}

template <class A, class T> AttrDef attr(const char* name, T A::*member, const char* summary) {
  static const A sample{};
  auto offset = reinterpret_cast<const std::byte*>(&(sample.*member)) - reinterpret_cast<const std::byte*>(&sample);
  return {.name = name, .type = attr_type_of<T>(), .offset = static_cast<uint16_t>(offset), .summary = summary};
}

template <class A> AttrTable attrs(std::initializer_list<AttrDef> defs) {
  static_assert(std::is_trivially_copyable_v<A> && sizeof(A) <= kMaxAttrBytes && alignof(A) <= 8);
  const A sample{};
  const std::byte* bytes = reinterpret_cast<const std::byte*>(&sample);
  return {.defs = defs, .defaults = std::vector<std::byte>(bytes, bytes + sizeof(A))};
}

// Options that no user gives: C++ code sets them, as that of gradient rules.
template <class A> AttrTable inner_attrs() {
  AttrTable table = attrs<A>({});
  table.are_equal = [](const std::byte* a, const std::byte* b) {
    return *reinterpret_cast<const A*>(a) == *reinterpret_cast<const A*>(b);
  };
  return table;
}

}  // namespace lutra
