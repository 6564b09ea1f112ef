// One float in decimal, digit for digit as NumPy (before 2.3) writes it: the fewest digits that read back as the same
// value of its own dtype, or the exact value rounded, ties to even. Knows nothing of tensors; print.h lines these up.
#pragma once

#include <algorithm>
#include <string>

#include "core/dtype.h"

namespace lutra {

// A magnitude d.ddd * 10^exponent. No zeros at the end; zero itself is "0" with exponent 0.
struct Decimal {
  char digits[32];
  int count = 0;
  int exponent = 0;

  // How many digits precede and follow the point if no exponent is written.
  int whole() const { return std::max(exponent + 1, 1); }
  int places() const { return std::max(count - 1 - exponent, 0); }
};

// `magnitude` is finite, not negative, and a value of the float dtype `type`. Returns the nearest of the shortest
// decimals that read back as it.
Decimal shortest_decimal(DType type, double magnitude);
// The exact value rounded at `places` digits after the point. There is room for 32 digits; callers ask for fewer than
// the shortest decimal has, or for the whole part of a magnitude below 1e16.
Decimal rounded_at(double magnitude, int places);
// The exact value rounded to `count` significant digits, at most 32.
Decimal rounded_to(double magnitude, int count);

// As rounded_to, for more digits than the shortest decimal has. At a power of two, the next value below is nearer than
// the next one above. There NumPy prefers a decimal above that reads back to a nearer one below that does not.
Decimal extended_to(DType type, double magnitude, int count);

// "12.5", "3.", "0.001": always a point, no zeros at the end.
void append_positional(std::string& out, const Decimal& decimal);
// "1.50e+16": `places` digits after the point (no point when 0 and `bare`), at least `exponent_digits` in the exponent.
void append_exponent(std::string& out, const Decimal& decimal, int places, int exponent_digits, bool bare = false);

// A NumPy scalar's str: "3.0", "0.0001", "1e+16", "-0.0", "nan", "-inf".
std::string float_text(DType type, double value);

}  // namespace lutra
