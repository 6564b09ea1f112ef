// Numbers as text, one row per line; an empty field is a missing number. The file is read twice, first to count the
// numbers and find their dtype, then for their values, so that only the tensor is held in memory.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/convert.h"
#include "io/formats.h"
#include "tensor/float_text.h"

namespace lutra {
namespace {

constexpr std::size_t kLongestField = 4096;

// Scans a file line by line, field by field.
class Scanner {
 public:
  Scanner(ByteSource& source, char delimiter) : source_(source), delimiter_(delimiter), window_(1 << 16) {
    if (peek() != 0xef) return;
    // The byte order mark that some programs put before UTF-8.
    for (int wanted : {0xef, 0xbb, 0xbf}) {
      if (peek() == wanted) ++next_;
    }
  }

  // Goes to the next line that is not empty, skipping comments if `skips_comments`. Returns false at the end.
  bool to_line(bool skips_comments) {
    for (;; skip_line()) {
      field_ = 0;
      while (is_blank(peek())) ++next_;
      int c = peek();
      if (c < 0) return false;
      if (c != '\n' && c != '\r' && !(c == '#' && skips_comments)) return true;
    }
  }
  // The field that begins here, without surrounding blanks. *last: it is the last of its line.
  std::string_view field(bool* last) {
    ++field_;
    size_ = 0;
    while (is_blank(peek())) ++next_;
    if (peek() == '"') read_quoted();
    else read_plain();
    int c = peek();
    *last = c != static_cast<unsigned char>(delimiter_);
    if (!*last) ++next_;
    else skip_line();
    return {text_, size_};
  }
  // Skips the '#' of a header "# a, b". Returns whether there was one.
  bool skip_hash() {
    bool is_there = peek() == '#';
    if (is_there) ++next_;
    return is_there;
  }
  // From the beginning of one line to that of another.
  void skip_to(int64_t line) {
    while (line_ < line && peek() >= 0) skip_line();
  }

  template <class... Parts> [[noreturn]] void fail_here(const Parts&... parts) {
    fail(ErrorCode::InvalidArgument, source_.label(), ", line ", field_line_, ", field ", field_, ": ", parts...);
  }
  int64_t line() const { return field_line_; }

 private:
  bool is_blank(int c) const { return (c == ' ' || c == '\t') && c != delimiter_; }
  int peek() {
    if (next_ == filled_) {
      at_ += filled_;
      next_ = 0;
      filled_ = static_cast<std::size_t>(std::min<uint64_t>(window_.size(), source_.size() - at_));
      source_.read(at_, window_.data(), filled_);
      if (filled_ == 0) return -1;
    }
    return static_cast<int>(window_[next_]);
  }
  void take() {
    if (size_ == kLongestField) fail_here("it is longer than ", kLongestField, " bytes");
    text_[size_++] = static_cast<char>(peek());
    ++next_;
  }
  void read_plain() {
    field_line_ = line_;
    for (int c = peek(); c >= 0 && c != '\n' && c != '\r' && c != static_cast<unsigned char>(delimiter_); c = peek())
      take();
    while (size_ > 0 && is_blank(static_cast<unsigned char>(text_[size_ - 1]))) --size_;
  }
  void read_quoted() {
    field_line_ = line_;
    ++next_;
    for (;;) {
      int c = peek();
      if (c < 0 || c == '\n') fail_here("a quote is not closed");
      if (c == '"') {
        ++next_;
        if (peek() != '"') break;
      }
      take();
    }
    while (is_blank(peek())) ++next_;
    int c = peek();
    if (c >= 0 && c != '\n' && c != '\r' && c != static_cast<unsigned char>(delimiter_))
      fail_here("text after a quote");
  }
  void skip_line() {
    int c = peek();
    while (c >= 0 && c != '\n' && c != '\r') {
      ++next_;
      c = peek();
    }
    if (c < 0) return;
    ++next_;
    if (c == '\r' && peek() == '\n') ++next_;
    ++line_;
  }

  ByteSource& source_;
  char delimiter_;
  std::vector<std::byte> window_;
  uint64_t at_ = 0;  // of the window in the file
  std::size_t filled_ = 0, next_ = 0;
  char text_[kLongestField];
  std::size_t size_ = 0;
  int64_t line_ = 1, field_line_ = 1, field_ = 0;
};

// Whether a number has a negative exponent.
bool has_negative_power(std::string_view number) {
  std::size_t sign = number.find_first_of("eE") + 1;
  return sign > 0 && sign < number.size() && number[sign] == '-';
}

// `hint` returns advice for a field that is no number.
template <class Hint> Scalar number_of(Scanner& scanner, std::string_view field, Hint&& hint) {
  std::string_view digits = field;
  if (digits[0] == '+') digits.remove_prefix(1);
  const char* end = digits.data() + digits.size();
  int64_t whole = 0;
  auto [whole_end, whole_error] = std::from_chars(digits.data(), end, whole);
  if (whole_error == std::errc() && whole_end == end) return Scalar::of(whole);
  double value = 0;
  auto [value_end, value_error] = std::from_chars(digits.data(), end, value);
  if (value_end != end || digits.empty() || value_error == std::errc::invalid_argument) {
    scanner.fail_here(quote(field), " is no number", hint());
  }
  if (value_error == std::errc::result_out_of_range) {
    // Too small for a float64 becomes 0, or nearly. A wider type tells it from too large. Beyond its range the sign of
    // the exponent does: a field has too few digits to outweigh it.
    long double wide = 0;
    auto [wide_end, wide_error] = std::from_chars(digits.data(), end, wide);
    bool fits_wide = wide_error == std::errc(),
         is_small = fits_wide ? wide > -1 && wide < 1 : has_negative_power(digits);
    if (!is_small) scanner.fail_here(quote(field), " does not fit a float64");
    value = fits_wide ? static_cast<double>(wide) : digits.front() == '-' ? -0.0 : 0.0;
  }
  return Scalar::of(value);
}

bool is_number(std::string_view field) {
  if (field.starts_with('+')) field.remove_prefix(1);
  double value = 0;
  auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  return end == field.data() + field.size() && error != std::errc::invalid_argument;
}

class CsvReader final : public FileReader {
 public:
  CsvReader(std::unique_ptr<ByteSource> source, const ReadOptions& options)
      : source_(std::move(source)), options_(options) {
    int64_t rows = 0, columns = 0;
    DTypes seen;
    if (options_.dtype != kNoDType && is_complex(options_.dtype)) {
      fail(ErrorCode::InvalidArgument, source_->label(), ": csv has no ", options_.dtype,
           "; read the real and the imaginary parts as floats, and put them together with lt.complex");
    }
    if (options_.missing && options_.dtype != kNoDType && !can_hold(options_.dtype, *options_.missing)) {
      const Scalar& missing = *options_.missing;
      std::string number = missing.kind == Scalar::Kind::Float ? text(missing.d) : text(missing.i);
      fail(ErrorCode::InvalidArgument, source_->label(), ": missing is ", number, ", which does not fit ",
           options_.dtype);
    }
    if (options_.header) read_header();
    columns = static_cast<int64_t>(columns_.size());
    Scanner scanner(*source_, options_.delimiter);
    scanner.skip_to(data_line_);
    for (; scanner.to_line(true); ++rows) {
      int64_t count = 0;
      for (bool last = false; !last; ++count) seen = seen | literal_dtype(value_of(scanner, scanner.field(&last)));
      if (rows == 0 && !options_.header) columns = count;
      is_past_first_row_ = true;
      if (count != columns) {
        fail(ErrorCode::InvalidArgument, source_->label(), ", line ", scanner.line(), ": it has ", count, " fields, ",
             options_.header ? "the header has " : "the first row has ", columns);
      }
    }
    DType dtype = options_.dtype;
    if (dtype == kNoDType) {
      bool is_whole = !seen.has(DType::Float32) && !seen.empty();
      dtype = !is_whole ? DType::Float32 : seen.has(DType::Int64) ? DType::Int64 : DType::Int32;
    }
    entries_.push_back({"", dtype, {rows, columns}});
    // The count cannot overflow: every element but the last has a byte of its own in the file, its delimiter.
  }

  void read(std::size_t, std::byte* to) override {
    const FileEntry& entry = entries_[0];
    std::size_t width = size_of(entry.dtype);
    std::byte* end = to + entry.nbytes();
    Scanner scanner(*source_, options_.delimiter);
    scanner.skip_to(data_line_);
    while (scanner.to_line(true)) {
      for (bool last = false; !last; to += width) {
        std::string_view field = scanner.field(&last);
        Scalar value = value_of(scanner, field);
        // An integer has no -0, but a float has.
        if (is_float(entry.dtype) && value.kind == Scalar::Kind::Int && value.i == 0 && field.starts_with('-')) {
          value = Scalar::of(-0.0);
        }
        if (!can_hold(entry.dtype, value)) scanner.fail_here(quote(field), " does not fit ", entry.dtype);
        if (to == end) scanner.fail_here("the file grew while it was being read");
        write_element(entry.dtype, to, value);
      }
    }
    require(to == end, source_->label(), ": the file shrank while it was being read");
  }

 private:
  static bool can_hold(DType dtype, const Scalar& value) {
    double number = value.as_double();
    if (dtype == DType::Bool) return number == 0 || number == 1;
    if (is_integer(dtype)) return fits(dtype, value);
    if (!std::isfinite(number) || std::abs(number) <= largest_of(dtype)) return true;
    // A value barely above the largest rounds down.
    std::byte element[kMostElementBytes];
    write_element(dtype, element, value);
    return std::isfinite(read_element(dtype, element).as_double());
  }

  // Advice for a field that is no number, if another delimiter, or a header, would explain it.
  std::string hint(std::string_view field) const {
    std::size_t at = field.find_first_of(";\t");
    if (at != std::string_view::npos && is_number(field.substr(0, at))) {
      return text("; load it with {delimiter = \"", field[at] == '\t' ? "\\t" : std::string(1, field[at]), "\"}");
    }
    if (options_.header || is_past_first_row_) return "";
    return "; if the first line names the columns, load it with {header = true}";
  }

  Scalar value_of(Scanner& scanner, std::string_view field) const {
    if (!field.empty()) return number_of(scanner, field, [&] { return hint(field); });
    if (options_.delimiter == ' ') scanner.fail_here("it is empty; exactly one space must separate two numbers");
    if (options_.missing) return *options_.missing;
    if (options_.dtype != kNoDType && !is_float(options_.dtype)) {
      scanner.fail_here("it is empty, and ", options_.dtype, " has no nan; {missing = 0} puts a number in its place");
    }
    return Scalar::of(std::numeric_limits<double>::quiet_NaN());
  }

  // The header is the first line that is not a comment; if that line holds numbers, it is the last comment above it, if
  // any.
  void read_header() {
    Scanner scanner(*source_, options_.delimiter);
    bool is_comment = true, had_comment = false;
    while (is_comment && scanner.to_line(false)) {
      is_comment = scanner.skip_hash();
      std::vector<std::string> fields;
      bool are_numbers = true;
      for (bool last = false; !last;) {
        fields.emplace_back(scanner.field(&last));
        are_numbers = are_numbers && (fields.back().empty() || is_number(fields.back()));
      }
      if (!is_comment && had_comment && are_numbers) return;
      had_comment = is_comment;
      columns_ = std::move(fields);
      data_line_ = scanner.line() + 1;
    }
  }

  std::unique_ptr<ByteSource> source_;
  ReadOptions options_;
  bool is_past_first_row_ = false;
  int64_t data_line_ = 1;  // the line after the header
};

void append_name(std::string& out, const std::string& name, char delimiter) {
  bool is_plain =
      !name.empty() && name.find_first_of("\"# \t") == std::string::npos && name.find(delimiter) == std::string::npos;
  if (is_plain) {
    out += name;
    return;
  }
  out += '"';
  for (char c : name) out.append(c == '"' ? 2 : 1, c);
  out += '"';
}

}  // namespace

std::unique_ptr<FileReader> open_csv(std::unique_ptr<ByteSource> source, const ReadOptions& options) {
  return std::make_unique<CsvReader>(std::move(source), options);
}

void write_csv(FileContents& contents, ByteSink& sink, const WriteOptions& options) {
  const FileEntry& entry = contents.entries()[0];
  int rank = entry.shape.rank();
  require(rank == 1 || rank == 2, sink.label(), ": a tensor ", entry.shape,
          " is no table; csv takes one of shape {rows, columns}, or {rows} for one column");
  require(!is_complex(entry.dtype), sink.label(), ": csv has no ", entry.dtype,
          "; write real(x) and imag(x), or save as .npy or .safetensors");
  int64_t columns = rank == 2 ? entry.shape[1] : 1;
  std::string out;
  if (!options.columns.empty()) {
    require(static_cast<int64_t>(options.columns.size()) == columns, sink.label(), ": header has ",
            options.columns.size(), " names, the tensor ", entry.shape, " has ", columns, " columns");
    for (std::size_t i = 0; i < options.columns.size(); ++i) {
      require(
          options.columns[i].find_first_of("\r\n") == std::string::npos && options.columns[i].size() < kLongestField,
          sink.label(), ": header has ", quote(options.columns[i]), ", which does not fit into a line");
      if (i > 0) out += options.delimiter;
      append_name(out, options.columns[i], options.delimiter);
    }
    out += '\n';
  }
  int64_t column = 0;
  std::size_t width = size_of(entry.dtype);
  for_each_piece(contents, 0, [&](const std::byte* bytes, std::size_t count) {
    for (const std::byte* end = bytes + count; bytes < end; bytes += width) {
      Scalar value = read_element(entry.dtype, bytes);
      if (value.kind == Scalar::Kind::Float) out += float_text(entry.dtype, value.d);
      else append(out, value.i);
      bool ends_row = ++column == columns;
      if (ends_row) column = 0;
      out += ends_row ? '\n' : options.delimiter;
      if (out.size() < (1 << 16)) continue;
      sink.write(out);
      out.clear();
    }
  });
  sink.write(out);
}

}  // namespace lutra
