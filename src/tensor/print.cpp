#include "tensor/print.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/convert.h"
#include "core/text.h"
#include "tensor/float_text.h"

namespace lutra {
namespace {

// Note [Cells]
// A Cells class holds the shown elements of one dtype and writes each as a cell. It chooses one width and format for
// all cells. `write(out, i)` appends the i-th, padded. Names and rules are those of NumPy's BoolFormat, IntegerFormat
// and FloatingFormat.

template <class T> T load(const std::byte* elements, int64_t i) {
  T value;
  std::memcpy(&value, elements + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

void pad(std::string& out, int64_t count) {
  if (count > 0) out.append(static_cast<std::size_t>(count), ' ');
}

class BoolCells {
 public:
  BoolCells(const std::byte* elements, int64_t, const PrintOptions&) : elements_(elements) {}
  void write(std::string& out, int64_t i) const { out += elements_[i] != std::byte{0} ? " True" : "False"; }

 private:
  const std::byte* elements_;
};

template <class T> class IntCells {
 public:
  IntCells(const std::byte* elements, int64_t count, const PrintOptions&) : elements_(elements) {
    T lowest = std::numeric_limits<T>::max();
    T highest = std::numeric_limits<T>::lowest();
    for (int64_t i = 0; i < count; ++i) {
      lowest = std::min(lowest, load<T>(elements, i));
      highest = std::max(highest, load<T>(elements, i));
    }
    width_ = std::max(std::ssize(text(int64_t{lowest})), std::ssize(text(int64_t{highest})));
  }
  void write(std::string& out, int64_t i) const {
    char digits[24];
    auto end = std::to_chars(digits, digits + sizeof digits, int64_t{load<T>(elements_, i)}).ptr;
    pad(out, width_ - (end - digits));
    out.append(digits, end);
  }

 private:
  const std::byte* elements_;
  int64_t width_;
};

// One choice for the whole tensor, computed in T's own arithmetic as in NumPy. The bounds are finite and not zero.
template <class T> bool wants_exponent(double smallest, double largest) {
  T low = static_cast<T>(smallest);
  T high = static_cast<T>(largest);
  return high >= static_cast<T>(1e8) || low < static_cast<T>(1e-4) ||
         static_cast<T>(high / low) > static_cast<T>(1000.0);
}

// `step` 2: one of the parts of complex elements; kSigned: with a + before those that are not negative.
template <class T, int kStep = 1, bool kSigned = false> class FloatCells {
 public:
  FloatCells(const std::byte* elements, int64_t count, const PrintOptions& options)
      : elements_(elements), precision_(options.precision) {
    double smallest = std::numeric_limits<double>::infinity(), largest = 0;
    bool any_finite = false, any_odd = false, any_negative_infinity = false;
    for (int64_t i = 0; i < count; ++i) {
      double value = at(i), magnitude = std::fabs(value);
      if (!std::isfinite(value)) {
        any_odd = true;
        any_negative_infinity |= value < 0;
        continue;
      }
      any_finite = true;
      if (magnitude == 0) continue;
      smallest = std::min(smallest, magnitude);
      largest = std::max(largest, magnitude);
    }
    exponent_form_ = largest > 0 && wants_exponent<T>(smallest, largest);
    if (any_finite) measure(count);
    if (any_odd) {  // nan and inf may need more room before the point
      int beside = right_ + 1;
      left_ = std::max({left_, 3 - beside, 3 + (kSigned || any_negative_infinity) - beside});
    }
  }

  void write(std::string& out, int64_t i) {
    double value = at(i);
    if (!std::isfinite(value)) {
      std::string_view word = std::isnan(value) ? "+nan" : value < 0 ? "-inf" : "+inf";
      if (!kSigned && word[0] == '+') word.remove_prefix(1);
      pad(out, left_ + right_ + 1 - std::ssize(word));
      out += word;
      return;
    }
    double magnitude = std::fabs(value);
    const Decimal& shortest = shortest_[static_cast<std::size_t>(i)];
    const bool negative = std::signbit(value), has_sign = negative || kSigned;
    if (exponent_form_) {
      // Digits beyond the shortest are those of the exact value, not zeros.
      bool extend = shortest.count < places_ + 1;
      pad(out, left_ - 1 - has_sign);
      if (has_sign) out += negative ? '-' : '+';
      append_exponent(out, extend ? extended_to(dtype_of<T>, magnitude, places_ + 1) : shortest, places_,
                      exponent_digits_);
    } else {
      // So are the digits before the point.
      bool extend = shortest.count - 1 < shortest.exponent;
      Decimal decimal = extend ? rounded_at(magnitude, 0) : shortest;
      pad(out, left_ - decimal.whole() - has_sign);
      if (has_sign) out += negative ? '-' : '+';
      append_positional(out, decimal);
      pad(out, right_ - decimal.places());
    }
  }

 private:
  double at(int64_t i) const { return static_cast<double>(load<T>(elements_, i * kStep)); }

  // Finds the digits of every finite element, and the room that the widest need.
  void measure(int64_t count) {
    shortest_.resize(static_cast<std::size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
      double value = at(i);
      if (!std::isfinite(value)) continue;
      Decimal& decimal = shortest_[static_cast<std::size_t>(i)];
      decimal = shortest_decimal(dtype_of<T>, std::fabs(value));
      bool has_sign = kSigned || std::signbit(value);
      if (exponent_form_) {
        if (decimal.count - 1 > precision_) decimal = rounded_to(std::fabs(value), precision_ + 1);
        left_ = std::max(left_, 1 + has_sign);
        places_ = std::max(places_, decimal.count - 1);
        exponent_digits_ = std::max(exponent_digits_, std::abs(decimal.exponent) >= 100 ? 3 : 2);
      } else {
        if (decimal.places() > precision_) decimal = rounded_at(std::fabs(value), precision_);
        left_ = std::max(left_, decimal.whole() + has_sign);
        right_ = std::max(right_, decimal.places());
      }
    }
    if (exponent_form_) right_ = exponent_digits_ + 2 + places_;
  }

  const std::byte* elements_;
  int precision_;
  bool exponent_form_ = false;
  std::vector<Decimal> shortest_;  // of the finite elements, cut at the precision
  int left_ = 0;                   // columns before the point, with the sign
  int right_ = 0;                  // and after it
  int places_ = 0;                 // exponent form: digits after the point, and in the exponent
  int exponent_digits_ = 2;
};

// The parts are aligned as two columns of floats; a j follows the digits of the second.
template <class T> class ComplexCells {
 public:
  ComplexCells(const std::byte* elements, int64_t count, const PrintOptions& options)
      : real_(elements, count, options), imaginary_(elements + sizeof(T), count, options) {}
  void write(std::string& out, int64_t i) {
    real_.write(out, i);
    imaginary_.write(out, i);
    out.insert(out.find_last_not_of(' ') + 1, 1, 'j');
  }

 private:
  FloatCells<T, 2> real_;
  FloatCells<T, 2, true> imaginary_;
};

// One part of a complex scalar: without ".0".
std::string part_text(DType type, double value) {
  std::string out = float_text(type, value);
  if (out.ends_with(".0")) out.resize(out.size() - 2);
  return out;
}

// Brackets, line breaks and dots around the cells (as NumPy's _formatArray).
template <class Cells> class Layout {
 public:
  Layout(const Shown& shown, int rank, int line_width, Cells cells)
      : shown_(shown), rank_(rank), line_width_(line_width), cells_(std::move(cells)) {}

  std::string write() && {
    write_axis(0);
    return std::move(out_);
  }

 private:
  void write_axis(int axis) {
    bool innermost = axis == rank_ - 1;
    std::size_t indent = static_cast<std::size_t>(axis) + 1;
    out_ += '[';
    column_ = axis + 1;
    for (int64_t i = 0; i < shown_.count[axis]; ++i) {
      if (i > 0) separate(axis, indent);
      if (shown_.cut[axis] && i == shown_.edge) {
        innermost ? put("...", axis) : append(out_, "...");
        separate(axis, indent);
      }
      if (innermost) {
        cell_.clear();
        cells_.write(cell_, next_++);
        put(cell_, axis);
      } else {
        write_axis(axis + 1);
      }
    }
    out_ += ']';
  }

  // A space within a row; a line break between blocks, and one more blank line for each further axis.
  void separate(int axis, std::size_t indent) {
    if (axis == rank_ - 1) {
      out_ += ' ';
      ++column_;
    } else {
      out_.append(static_cast<std::size_t>(rank_ - 1 - axis), '\n');
      out_.append(indent, ' ');
    }
  }

  // Starts a new line if the word would leave no room for one bracket per axis, unless the line is still empty.
  void put(std::string_view word, int axis) {
    int64_t indent = axis + 1;
    if (column_ + std::ssize(word) > line_width_ - indent && column_ > indent) {
      while (out_.back() == ' ') out_.pop_back();
      out_ += '\n';
      out_.append(static_cast<std::size_t>(indent), ' ');
      column_ = indent;
    }
    out_ += word;
    column_ += std::ssize(word);
  }

  const Shown& shown_;
  int rank_;
  int64_t line_width_;
  Cells cells_;
  std::string out_;
  std::string cell_;
  int64_t column_ = 0;
  int64_t next_ = 0;  // index of the next shown element
};

template <class Cells> std::string lay_out(const Shape& whole, const std::byte* elements, const PrintOptions& options) {
  Shown shown = shown_part(whole, options);
  int64_t count = 1;
  for (int axis = 0; axis < whole.rank(); ++axis) count *= shown.count[axis];
  return Layout<Cells>(shown, whole.rank(), options.line_width, Cells(elements, count, options)).write();
}

}  // namespace

Shown shown_part(const Shape& shape, const PrintOptions& options) {
  assert(options.precision >= 0 && options.threshold >= 0 && options.edge_items >= 0 && options.line_width >= 0);
  Shown shown;
  shown.summarised = shape.rank() > 0 && shape.size() > options.threshold;
  shown.edge = std::max<int64_t>(options.edge_items, 1);
  for (int axis = 0; axis < shape.rank(); ++axis) {
    shown.cut[axis] = shown.summarised && shown.edge < (shape[axis] + 1) / 2;
    shown.count[axis] = shown.cut[axis] ? 2 * shown.edge : shape[axis];
  }
  return shown;
}

std::string array_text(DType type, const Shape& whole, const std::byte* shown, const PrintOptions& options) {
  if (whole.rank() == 0) return scalar_text(type, shown);
  if (whole.size() == 0) return "[]";
  if (type == DType::Complex64) return lay_out<ComplexCells<float>>(whole, shown, options);
  if (type == DType::Complex128) return lay_out<ComplexCells<double>>(whole, shown, options);
  return visit_dtype(type, [&]<class T>(TypeTag<T>) {
    if constexpr (std::is_same_v<T, bool>) {
      return lay_out<BoolCells>(whole, shown, options);
    } else if constexpr (std::is_integral_v<T>) {
      return lay_out<IntCells<T>>(whole, shown, options);
    } else {
      return lay_out<FloatCells<T>>(whole, shown, options);
    }
  });
}

std::string scalar_text(DType type, const std::byte* element) {
  if (is_complex(type)) {
    const Complex128 value = read_complex(type, element);
    std::string real = part_text(real_dtype(type), value.re), imaginary = part_text(real_dtype(type), value.im);
    if (value.re == 0 && !std::signbit(value.re)) return imaginary + "j";
    return text("(", real, imaginary.starts_with('-') ? "" : "+", imaginary, "j)");
  }
  return visit_dtype(type, [&]<class T>(TypeTag<T>) -> std::string {
    if constexpr (std::is_same_v<T, bool>) {
      return *element != std::byte{0} ? "True" : "False";
    } else if constexpr (std::is_integral_v<T>) {
      return text(int64_t{load<T>(element, 0)});
    } else {
      return float_text(type, static_cast<double>(load<T>(element, 0)));
    }
  });
}

std::string tensor_text(DType type, const Shape& whole, const std::byte* shown, const PrintOptions& options,
                        const char* type_name) {
  std::string array = array_text(type, whole, shown, options);
  const char* line = array.find('\n') != std::string::npos ? "\n" : "";
  return text(type_name, "(", line, array, ", shape=", whole, ", dtype=", type, ")");
}

}  // namespace lutra
