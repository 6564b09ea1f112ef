#include "io/npy.h"

#include <algorithm>
#include <cstring>

#include "io/formats.h"

namespace lutra {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
// NumPy's own limit is 10,000; the headers written here have at most 256.
constexpr uint32_t kLongestNpyHeader = 1u << 16;

constexpr struct {
  std::string_view code;  // numpy's, without the byte order
  DType dtype;
} kNpyCodes[] = {{"b1", DType::Bool},    {"i1", DType::Int8},      {"u1", DType::UInt8},      {"i2", DType::Int16},
                 {"i4", DType::Int32},   {"i8", DType::Int64},     {"f2", DType::Float16},    {"f4", DType::Float32},
                 {"f8", DType::Float64}, {"c8", DType::Complex64}, {"c16", DType::Complex128}};

// {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }: the only Python that is parsed.
class HeaderParser {
 public:
  HeaderParser(const std::string& label, uint64_t start, std::string_view text)
      : label_(label), start_(start), text_(text) {}

  NpyHeader parse() {
    expect('{');
    bool has_descr = false, has_order = false, has_shape = false;
    while (!take('}')) {
      std::size_t at = at_;
      std::string_view key = quoted_word("a key");
      expect(':');
      bool* seen = key == "descr"           ? &has_descr
                   : key == "fortran_order" ? &has_order
                   : key == "shape"         ? &has_shape
                                            : nullptr;
      if (seen == nullptr) fail_at(label_, start_ + at, "the header has an unknown key ", quote(key));
      if (*seen) fail_at(label_, start_ + at, "the header has ", quote(key), " twice");
      *seen = true;
      if (seen == &has_descr) read_descr();
      else if (seen == &has_order) header_.is_fortran = boolean();
      else read_shape();
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (at_ != text_.size()) wrong("nothing");
    if (!has_descr || !has_order || !has_shape) {
      fail_at(label_, start_, "the header lacks ", !has_descr ? "'descr'" : !has_order ? "'fortran_order'" : "'shape'");
    }
    return header_;
  }

 private:
  [[noreturn]] void wrong(const char* wanted) {
    if (at_ >= text_.size()) fail_at(label_, start_ + at_, "the header ends where ", wanted, " was expected");
    fail_at(label_, start_ + at_, "the header has ", quote(text_.substr(at_, 12)), " where ", wanted, " was expected");
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  bool take(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    const char wanted[] = {'\'', c, '\'', 0};
    if (!take(c)) wrong(wanted);
  }
  bool take_word(std::string_view word) {
    skip_blanks();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  std::string_view quoted_word(const char* wanted) {
    skip_blanks();
    char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') wrong(wanted);
    std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) wrong("a closed string");
    std::string_view word = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return word;
  }
  bool boolean() {
    if (take_word("True")) return true;
    if (!take_word("False")) wrong("True or False");
    return false;
  }
  void read_descr() {
    skip_blanks();
    uint64_t place = start_ + at_;
    if (at_ < text_.size() && text_[at_] == '[') fail_at(label_, place, "it holds records, which are no tensor");
    std::string_view word = quoted_word("a dtype");
    std::string_view code = word;
    char order = '|';
    if (!code.empty() && std::string_view("<>=|").find(code[0]) != std::string_view::npos) {
      order = code[0];
      code.remove_prefix(1);
    }
    for (const auto& known : kNpyCodes) {
      if (known.code != code) continue;
      header_.dtype = known.dtype;
      header_.is_swapped = order == '>' && size_of(known.dtype) > 1;
      return;
    }
    if (!code.empty() && code[0] == 'O') {
      fail_at(label_, place, "it holds Python objects (pickles), which Lutra does not read");
    }
    fail_at(label_, place, "its dtype is ", quote(word), ", which Lutra does not have; convert it in NumPy (astype)");
  }
  void read_shape() {
    skip_blanks();
    uint64_t place = start_ + at_;
    expect('(');
    bool has_comma = true;
    while (!take(')')) {
      if (!has_comma) wrong("')'");
      int64_t size = 0;
      skip_blanks();
      std::size_t first = at_;
      for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
        if (__builtin_mul_overflow(size, int64_t{10}, &size) || __builtin_add_overflow(size, text_[at_] - '0', &size)) {
          fail_at(label_, start_ + first, "a size does not fit 64 bits");
        }
      }
      if (at_ == first) wrong("a size");
      if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2
      if (header_.shape.rank() == kMaxRank) {
        fail_at(label_, place, "its array has more than ", kMaxRank, " axes; Lutra's tensors have at most that");
      }
      header_.shape.push(size);
      has_comma = take(',');
    }
  }

  const std::string& label_;
  uint64_t start_;
  std::string_view text_;
  std::size_t at_ = 0;
  NpyHeader header_{};
};

// The elements come with the first axis fastest; each is written to its row-major position.
class ColumnOrder {
 public:
  ColumnOrder(const Shape& shape, std::size_t width) : shape_(shape), width_(width) {
    std::size_t stride = width;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      strides_[axis] = stride;
      stride *= static_cast<std::size_t>(shape[axis]);
    }
  }
  void put(const std::byte* from, std::size_t bytes, std::byte* to) {
    for (const std::byte* end = from + bytes; from < end; from += width_) {
      std::memcpy(to + offset_, from, width_);
      for (int axis = 0; axis < shape_.rank(); ++axis) {
        offset_ += strides_[axis];
        if (++index_[axis] < shape_[axis]) break;
        offset_ -= strides_[axis] * static_cast<std::size_t>(shape_[axis]);
        index_[axis] = 0;
      }
    }
  }

 private:
  Shape shape_;
  std::size_t width_;
  std::size_t strides_[kMaxRank];
  int64_t index_[kMaxRank] = {};
  std::size_t offset_ = 0;
};

class NpyReader final : public FileReader {
 public:
  explicit NpyReader(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {
    WholeStream stream(*source_);
    header_ = read_npy_header(stream);
    start_ = stream.position();
    entries_.push_back({"", header_.dtype, header_.shape});
  }
  bool has_rows() const override {
    return header_.shape.rank() > 0 && !(header_.is_fortran && header_.shape.rank() > 1);
  }
  void read_range(int64_t first, int64_t count, std::byte* to) override {
    const FileEntry& entry = entries_[0];
    std::size_t row = entry.nbytes() / static_cast<std::size_t>(entry.shape[0]);
    read_rows_at(*source_, start_, {first, count, row, size_of(real_dtype(entry.dtype)), header_.is_swapped}, to);
    if (entry.dtype != DType::Bool) return;
    // Any non-zero byte becomes 1: a bool is 0 or 1.
    for (std::size_t i = 0; i < row * static_cast<std::size_t>(count); ++i) to[i] = std::byte{to[i] != std::byte{0}};
  }
  void read(std::size_t, std::byte* to) override {
    WholeStream stream(*source_);
    NpyHeader header = read_npy_header(stream);
    read_npy_elements(stream, header, to);
  }

 private:
  std::unique_ptr<ByteSource> source_;
  NpyHeader header_{};
  uint64_t start_ = 0;  // of the elements
};

}  // namespace

NpyHeader read_npy_header(ByteStream& stream) {
  const std::string& label = stream.label();
  unsigned char start[8];
  stream.read(reinterpret_cast<std::byte*>(start), sizeof start);
  if (std::memcmp(start, kMagic.data(), kMagic.size()) != 0) {
    fail_at(label, 0, "this is no npy file: it does not begin with \\x93NUMPY");
  }
  int version = start[6];
  if (version < 1 || version > 3 || start[7] != 0) {
    fail_at(label, 6, "npy version ", version, ".", static_cast<int>(start[7]),
            " is unknown; 1.0, 2.0 and 3.0 are read");
  }
  unsigned char length_bytes[4] = {};
  stream.read(reinterpret_cast<std::byte*>(length_bytes), version == 1 ? 2 : 4);
  uint32_t length = length_bytes[0] | uint32_t{length_bytes[1]} << 8 | uint32_t{length_bytes[2]} << 16 |
                    uint32_t{length_bytes[3]} << 24;
  if (length > kLongestNpyHeader) {
    fail_at(label, 8, "the header is said to be ", length, " bytes long; at most ", kLongestNpyHeader, " are read");
  }
  uint64_t place = stream.position();
  std::string text(length, '\0');
  stream.read(reinterpret_cast<std::byte*>(text.data()), length);
  NpyHeader header = HeaderParser(label, place, text).parse();
  int64_t width = static_cast<int64_t>(size_of(header.dtype));
  uint64_t bytes =
      static_cast<uint64_t>(element_count(label.c_str(), header.shape.dims(), width)) * size_of(header.dtype);
  uint64_t left = stream.size() - stream.position();
  if (left != bytes) {
    fail_at(label, stream.position(), "shape ", header.shape, " of ", header.dtype, " takes ", bytes, " bytes, ", left,
            left < bytes ? " are there" : " follow");
  }
  return header;
}

void read_npy_elements(ByteStream& stream, const NpyHeader& header, std::byte* to) {
  std::size_t width = size_of(header.dtype);
  std::size_t total = static_cast<std::size_t>(header.shape.size()) * width;
  if (header.is_fortran && header.shape.rank() > 1) {
    std::vector<std::byte> piece(std::min(total, std::size_t{1} << 20));
    ColumnOrder order(header.shape, width);
    for (std::size_t done = 0; done < total; done += piece.size()) {
      piece.resize(std::min(piece.size(), total - done));
      stream.read(piece.data(), piece.size());
      order.put(piece.data(), piece.size(), to);
    }
  } else {
    stream.read(to, total);
  }
  if (header.is_swapped) swap_bytes(to, total, size_of(real_dtype(header.dtype)));
  // Any non-zero byte becomes 1: a bool is 0 or 1.
  if (header.dtype != DType::Bool) return;
  for (std::size_t i = 0; i < total; ++i) to[i] = to[i] != std::byte{0} ? std::byte{1} : std::byte{0};
}

std::string npy_header(const std::string& label, const FileEntry& entry) {
  std::string_view code;
  for (const auto& known : kNpyCodes) {
    if (known.dtype == entry.dtype) code = known.code;
  }
  require(!code.empty(), label, ": npy has no ", entry.dtype, "; cast to float32, or save as .safetensors");
  std::string out = text("{'descr': '", size_of(entry.dtype) > 1 ? '<' : '|', code,
                         "', 'fortran_order': False, 'shape': ", entry.shape, ", }");
  // NumPy leaves room for the first size to grow in place.
  if (entry.shape.rank() > 0) out.append(21 - text(entry.shape[0]).size(), ' ');
  std::size_t before = kMagic.size() + 4 + out.size() + 1;
  out.append(64 - before % 64, ' ');
  out += '\n';
  std::string start(kMagic);
  start += {'\1', '\0', static_cast<char>(out.size() & 0xff), static_cast<char>(out.size() >> 8)};
  return start + out;
}

std::unique_ptr<FileReader> open_npy(std::unique_ptr<ByteSource> source) {
  return std::make_unique<NpyReader>(std::move(source));
}

void write_npy(FileContents& contents, ByteSink& sink) {
  sink.write(npy_header(sink.label(), contents.entries()[0]));
  for_each_piece(contents, 0, [&](const std::byte* bytes, std::size_t count) { sink.write(bytes, count); });
}

}  // namespace lutra
