#include "tensor/float_text.h"

#include <cassert>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace lutra {
namespace {

void drop_trailing_zeros(Decimal& decimal) {
  while (decimal.count > 1 && decimal.digits[decimal.count - 1] == '0') --decimal.count;
  if (decimal.digits[0] == '0') decimal.exponent = 0;
}

// "d.ddde-05", as std::to_chars writes it.
Decimal from_scientific(const char* first, const char* last) {
  Decimal decimal;
  for (; *first != 'e'; ++first) {
    if (*first == '.') continue;
    assert(decimal.count < static_cast<int>(sizeof decimal.digits));
    decimal.digits[decimal.count++] = *first;
  }
  ++first;
  if (*first == '+') ++first;
  std::from_chars(first, last, decimal.exponent);
  drop_trailing_zeros(decimal);
  return decimal;
}

template <class Float> Decimal shortest_by_library(Float magnitude) {
  char text[64];
  auto end = std::to_chars(text, text + sizeof text, magnitude, std::chars_format::scientific).ptr;
  return from_scientific(text, end);
}

// Adds one to the `count`-th digit.
Decimal next_above(Decimal decimal, int count) {
  while (decimal.count < count) decimal.digits[decimal.count++] = '0';
  int at = count - 1;
  while (at >= 0 && decimal.digits[at] == '9') decimal.digits[at--] = '0';
  if (at >= 0) {
    ++decimal.digits[at];
  } else {  // 99 became 100
    decimal.digits[0] = '1';
    ++decimal.exponent;
  }
  drop_trailing_zeros(decimal);
  return decimal;
}

double value_of(const Decimal& decimal) {
  char text[48];
  char* end = std::copy(decimal.digits, decimal.digits + decimal.count, text);
  *end++ = 'e';
  end = std::to_chars(end, text + sizeof text, decimal.exponent - (decimal.count - 1)).ptr;
  double value = 0;
  std::from_chars(text, end, value);
  return value;
}

// The reals that round to a value of the 16-bit type Half: those up to the midpoints between it and its neighbours,
// which are exact in double. A midpoint belongs to the value whose last bit is 0.
template <class Half> class Rounding {
 public:
  explicit Rounding(double magnitude) {
    Half here(static_cast<float>(magnitude));
    Half below = here, above = here;
    --below.bits;
    ++above.bits;
    double step_down = magnitude - below;
    double step_up = std::isinf(static_cast<float>(above)) ? step_down : above - magnitude;
    low_ = magnitude - step_down / 2;
    high_ = magnitude + step_up / 2;
    closed_ = here.bits % 2 == 0;
  }
  bool gives(double value) const { return closed_ ? low_ <= value && value <= high_ : low_ < value && value < high_; }

 private:
  double low_, high_;
  bool closed_;
};

template <class Half> Decimal shortest_of_half(double magnitude) {
  Rounding<Half> rounding(magnitude);
  for (int count = 1;; ++count) {
    Decimal nearest = rounded_to(magnitude, count);
    double value = value_of(nearest);
    if (rounding.gives(value)) return nearest;
    // Above a power of two the values are twice as far apart as below, so the farther decimal may read back.
    if (value < magnitude) {
      Decimal above = next_above(nearest, count);
      if (rounding.gives(value_of(above))) return above;
    }
  }
}

bool reads_back(DType type, const Decimal& decimal, double magnitude) {
  double value = value_of(decimal);
  switch (type) {
    case DType::Float16: return Rounding<Float16>(magnitude).gives(value);
    case DType::BFloat16: return Rounding<BFloat16>(magnitude).gives(value);
    case DType::Float32: return static_cast<float>(value) == static_cast<float>(magnitude);
    default: return value == magnitude;
  }
}

}  // namespace

Decimal shortest_decimal(DType type, double magnitude) {
  assert(is_float(type) && std::isfinite(magnitude) && !std::signbit(magnitude));
  if (magnitude == 0) return rounded_to(0, 1);
  switch (type) {
    case DType::Float16: return shortest_of_half<Float16>(magnitude);
    case DType::BFloat16: return shortest_of_half<BFloat16>(magnitude);
    case DType::Float32: return shortest_by_library(static_cast<float>(magnitude));
    default: return shortest_by_library(magnitude);
  }
}

Decimal rounded_at(double magnitude, int places) {
  char text[64];
  auto [end, error] = std::to_chars(text, text + sizeof text, magnitude, std::chars_format::fixed, places);
  assert(error == std::errc());
  Decimal decimal;
  const char* point = std::find(static_cast<const char*>(text), static_cast<const char*>(end), '.');
  decimal.exponent = static_cast<int>(point - text) - 1;
  for (const char* at = text; at != end; ++at) {
    if (*at == '.') continue;
    if (decimal.count == 0 && *at == '0') {  // "0.00ddd"
      --decimal.exponent;
      continue;
    }
    assert(decimal.count < static_cast<int>(sizeof decimal.digits));
    decimal.digits[decimal.count++] = *at;
  }
  if (decimal.count == 0) decimal.digits[decimal.count++] = '0';
  drop_trailing_zeros(decimal);
  return decimal;
}

Decimal rounded_to(double magnitude, int count) {
  char text[64];
  auto end = std::to_chars(text, text + sizeof text, magnitude, std::chars_format::scientific, count - 1).ptr;
  return from_scientific(text, end);
}

Decimal extended_to(DType type, double magnitude, int count) {
  Decimal nearest = rounded_to(magnitude, count);
  int exponent;
  bool power_of_two = std::frexp(magnitude, &exponent) == 0.5;
  if (!power_of_two || value_of(nearest) >= magnitude || reads_back(type, nearest, magnitude)) return nearest;
  Decimal above = next_above(nearest, count);
  return reads_back(type, above, magnitude) ? above : nearest;
}

void append_positional(std::string& out, const Decimal& decimal) {
  if (decimal.exponent < 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-decimal.exponent - 1), '0');
    out.append(decimal.digits, static_cast<std::size_t>(decimal.count));
    return;
  }
  int written = std::min(decimal.count, decimal.whole());
  out.append(decimal.digits, static_cast<std::size_t>(written));
  out.append(static_cast<std::size_t>(decimal.whole() - written), '0');
  out += '.';
  out.append(decimal.digits + written, static_cast<std::size_t>(decimal.count - written));
}

void append_exponent(std::string& out, const Decimal& decimal, int places, int exponent_digits, bool bare) {
  out += decimal.digits[0];
  if (places > 0 || !bare) out += '.';
  int written = std::min(decimal.count - 1, places);
  out.append(decimal.digits + 1, static_cast<std::size_t>(written));
  out.append(static_cast<std::size_t>(places - written), '0');
  out += decimal.exponent < 0 ? "e-" : "e+";
  char digits[8];
  auto end = std::to_chars(digits, digits + sizeof digits, std::abs(decimal.exponent)).ptr;
  int length = static_cast<int>(end - digits);
  out.append(static_cast<std::size_t>(std::max(exponent_digits - length, 0)), '0');
  out.append(digits, end);
}

std::string float_text(DType type, double value) {
  if (std::isnan(value)) return "nan";
  std::string out;
  if (std::signbit(value)) out += '-';
  double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return out += "inf";
  Decimal decimal = shortest_decimal(type, magnitude);
  if (magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e16)) {
    append_positional(out, decimal);
    if (out.back() == '.') out += '0';
  } else {
    append_exponent(out, decimal, decimal.count - 1, 2, /*bare=*/true);
  }
  return out;
}

}  // namespace lutra
