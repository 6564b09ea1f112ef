// Safetensors (Hugging Face's format): the header's length in 8 bytes, the header in JSON, the elements of all tensors
// one after the other, without gaps.
#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "io/formats.h"

namespace lutra {
namespace {

using Json = nlohmann::json;

constexpr uint64_t kLongestSafetensorsHeader = 100'000'000;  // the format's own limit
constexpr std::string_view kMetadata = "__metadata__";

constexpr struct {
  std::string_view code;
  DType dtype;
} kSafetensorsCodes[] = {{"BOOL", DType::Bool},   {"I8", DType::Int8},       {"U8", DType::UInt8},
                         {"I16", DType::Int16},   {"I32", DType::Int32},     {"I64", DType::Int64},
                         {"F16", DType::Float16}, {"BF16", DType::BFloat16}, {"F32", DType::Float32},
                         {"F64", DType::Float64}, {"C64", DType::Complex64}};

struct Described : FileEntry {
  uint64_t begin = 0, end = 0;  // relative to the first element
};

// Interprets the header while it is parsed. Anything that the format does not know is refused at once, so deep nesting
// is never followed.
class HeaderReader final : public nlohmann::json_sax<Json> {
 public:
  HeaderReader(const std::string& label, std::vector<Described>* out, FileMetadata* metadata)
      : label_(label), out_(out), metadata_(metadata) {}

  bool start_object(std::size_t) override {
    if (where_ == Where::Outside) return go(Where::Names);
    if (where_ == Where::Tensor) return go(Where::Fields);
    if (where_ == Where::Metadata) return go(Where::MetadataFields);
    return unexpected("an object");
  }
  bool key(std::string& word) override {
    if (where_ == Where::Names) {
      name_ = word;
      if (word == kMetadata) {
        if (has_metadata_) fail_header("has ", kMetadata, " twice");
        has_metadata_ = true;
        return go(Where::Metadata);
      }
      out_->emplace_back();
      out_->back().name = word;
      has_dtype_ = has_shape_ = false;
      offsets_ = -1;
      return go(Where::Tensor);
    }
    if (where_ == Where::MetadataFields) {
      metadata_->emplace_back(word, "");
      return true;
    }
    if (word == "dtype") return first(&has_dtype_, word) && go(Where::DTypeWord);
    if (word == "shape") return first(&has_shape_, word) && go(Where::Shape);
    if (word == "data_offsets") {
      if (offsets_ >= 0) fail_header("has 'data_offsets' twice for ", quote(name_));
      offsets_ = 0;
      return go(Where::Offsets);
    }
    fail_header("has an unknown field ", quote(word), " for ", quote(name_));
  }
  bool end_object() override {
    if (where_ == Where::MetadataFields) return go(Where::Names);
    if (where_ == Where::Fields) {
      if (!has_dtype_ || !has_shape_ || offsets_ != 2) {
        fail_header("lacks ",
                    !has_dtype_   ? "'dtype'"
                    : !has_shape_ ? "'shape'"
                                  : "'data_offsets'",
                    " for ", quote(name_));
      }
      return go(Where::Names);
    }
    return go(Where::Outside);
  }
  bool start_array(std::size_t) override {
    if (where_ == Where::Shape) return go(Where::ShapeSizes);
    if (where_ == Where::Offsets) return go(Where::OffsetNumbers);
    return unexpected("a list");
  }
  bool end_array() override {
    if (where_ == Where::OffsetNumbers && offsets_ != 2) {
      fail_header("has ", offsets_, " data_offsets for ", quote(name_), ", expected 2");
    }
    return go(Where::Fields);
  }
  bool string(std::string& word) override {
    if (where_ == Where::MetadataFields) {
      metadata_->back().second = std::move(word);
      return true;
    }
    if (where_ != Where::DTypeWord) return unexpected("a string");
    for (const auto& known : kSafetensorsCodes) {
      if (known.code != word) continue;
      out_->back().dtype = known.dtype;
      return go(Where::Fields);
    }
    fail_header("has dtype ", quote(word), " for ", quote(name_), ", which Lutra does not have");
  }
  bool number_unsigned(uint64_t number) override {
    Described& tensor = out_->empty() ? none_ : out_->back();
    if (where_ == Where::ShapeSizes) {
      if (tensor.shape.rank() == kMaxRank) {
        fail_header("has more than ", kMaxRank, " axes for ", quote(name_), "; Lutra's tensors have at most that");
      }
      if (number > static_cast<uint64_t>(INT64_MAX)) fail_header("has a size for ", quote(name_), " that is no size");
      tensor.shape.push(static_cast<int64_t>(number));
      return true;
    }
    if (where_ != Where::OffsetNumbers) return unexpected("a number");
    if (offsets_ == 2) fail_header("has more than 2 data_offsets for ", quote(name_));
    (offsets_++ == 0 ? tensor.begin : tensor.end) = number;
    return true;
  }
  bool null() override { return unexpected("null"); }
  bool boolean(bool) override { return unexpected("a boolean"); }
  bool number_integer(int64_t) override { return unexpected("a negative number"); }
  bool number_float(double, const std::string&) override { return unexpected("a fraction"); }
  bool binary(Json::binary_t&) override { return unexpected("bytes"); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    fail_at(label_, 8 + (position > 0 ? position - 1 : 0), "the header is no JSON from here on");
  }

 private:
  enum class Where {
    Outside,
    Names,
    Tensor,
    Fields,
    DTypeWord,
    Shape,
    ShapeSizes,
    Offsets,
    OffsetNumbers,
    Metadata,
    MetadataFields
  };

  template <class... Parts> [[noreturn]] void fail_header(const Parts&... parts) {
    fail(ErrorCode::InvalidArgument, label_, ": the header ", parts...);
  }
  bool go(Where where) {
    where_ = where;
    return true;
  }
  bool unexpected(const char* what) {
    if (where_ == Where::Outside) fail_header("is ", what, ", expected an object");
    fail_header("has ", what, " where there can be none, at ", quote(name_));
  }
  bool first(bool* seen, const std::string& word) {
    if (*seen) fail_header("has ", quote(word), " twice for ", quote(name_));
    return *seen = true;
  }

  const std::string& label_;
  std::vector<Described>* out_;
  FileMetadata* metadata_;
  Described none_;
  Where where_ = Where::Outside;
  std::string name_;
  bool has_metadata_ = false, has_dtype_ = false, has_shape_ = false;
  int offsets_ = -1;  // how many were read; -1: the field has not come yet
};

class SafetensorsReader final : public FileReader {
 public:
  explicit SafetensorsReader(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {
    const std::string& label = source_->label();
    unsigned char length_bytes[8];
    source_->read(0, reinterpret_cast<std::byte*>(length_bytes), sizeof length_bytes);
    uint64_t length = 0;
    for (int i = 0; i < 8; ++i) length |= uint64_t{length_bytes[i]} << (8 * i);
    if (length > kLongestSafetensorsHeader || length > source_->size() - 8) {
      fail_at(label, 0, "the header is said to be ", length, " bytes long; the file has ", source_->size() - 8,
              " more bytes, and at most ", kLongestSafetensorsHeader, " are read");
    }
    std::string header(static_cast<std::size_t>(length), '\0');
    source_->read(8, reinterpret_cast<std::byte*>(header.data()), header.size());
    start_ = 8 + length;
    HeaderReader sax(label, &tensors_, &metadata_);
    Json::sax_parse(header, &sax);
    check_places();
    std::sort(tensors_.begin(), tensors_.end(), [](auto& a, auto& b) { return a.name < b.name; });
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (i > 0 && tensors_[i].name == tensors_[i - 1].name) {
        fail(ErrorCode::InvalidArgument, label, ": the header has the name ", quote(tensors_[i].name), " twice");
      }
      entries_.push_back(tensors_[i]);
    }
  }
  void read(std::size_t entry, std::byte* to) override {
    std::size_t bytes = entries_[entry].nbytes();
    source_->read(start_ + tensors_[entry].begin, to, bytes);
    if (entries_[entry].dtype != DType::Bool) return;
    // Any non-zero byte becomes 1: a bool is 0 or 1.
    for (std::size_t i = 0; i < bytes; ++i) to[i] = to[i] != std::byte{0} ? std::byte{1} : std::byte{0};
  }

 private:
  // The tensors fill the rest of the file, one after the other.
  void check_places() {
    const std::string& label = source_->label();
    uint64_t all = source_->size() - start_, next = 0;
    std::sort(tensors_.begin(), tensors_.end(),
              [](auto& a, auto& b) { return a.begin != b.begin ? a.begin < b.begin : a.end < b.end; });
    for (const Described& tensor : tensors_) {
      std::string who = text(label, ", ", quote(tensor.name));
      int64_t width = static_cast<int64_t>(size_of(tensor.dtype));
      uint64_t bytes = static_cast<uint64_t>(element_count(who.c_str(), tensor.shape.dims(), width) * width);
      if (tensor.end < tensor.begin || tensor.end > all) {
        fail_at(who, start_, "its data_offsets are ", tensor.begin, " and ", tensor.end, ", of ", all, " bytes");
      }
      if (tensor.end - tensor.begin != bytes) {
        fail_at(who, start_ + tensor.begin, "shape ", tensor.shape, " of ", tensor.dtype, " takes ", bytes,
                " bytes, its data_offsets give ", tensor.end - tensor.begin);
      }
      if (tensor.begin != next) {
        fail_at(who, start_ + tensor.begin,
                tensor.begin < next ? "it lies over another tensor" : "there is a gap before it");
      }
      next = tensor.end;
    }
    if (next != all) fail_at(label, start_ + next, all - next, " bytes belong to no tensor");
  }

  std::unique_ptr<ByteSource> source_;
  uint64_t start_ = 0;  // of the elements
  std::vector<Described> tensors_;
};

}  // namespace

std::unique_ptr<FileReader> open_safetensors(std::unique_ptr<ByteSource> source) {
  return std::make_unique<SafetensorsReader>(std::move(source));
}

void write_safetensors(FileContents& contents, ByteSink& sink, const FileMetadata& metadata) {
  auto quoted = [&](const std::string& word) {
    try {
      return Json(word).dump();
    } catch (const Json::exception&) {
      fail(ErrorCode::InvalidArgument, sink.label(), ": the name ", quote(word), " is no UTF-8");
    }
  };
  // Wide elements first, so that each tensor starts at a multiple of its element size, as in the format's own library.
  const std::vector<FileEntry>& entries = contents.entries();
  std::vector<std::size_t> order(entries.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return size_of(entries[a].dtype) > size_of(entries[b].dtype); });
  std::string header = "{";
  if (!metadata.empty()) {
    for (const auto& [name, value] : metadata) {
      header += text(header.size() > 1 ? "," : text("\"", kMetadata, "\":{"), quoted(name), ":", quoted(value));
    }
    header += '}';
  }
  uint64_t next = 0;
  for (std::size_t i : order) {
    const FileEntry& entry = entries[i];
    require(entry.name != kMetadata, sink.label(), ": no tensor can be called ", kMetadata);
    std::string name = quoted(entry.name);
    std::string_view code;
    for (const auto& known : kSafetensorsCodes) {
      if (known.dtype == entry.dtype) code = known.code;
    }
    require(!code.empty(), sink.label(), ": safetensors has no ", entry.dtype,
            "; cast to complex64, or save as .npy or .npz");
    std::string sizes;
    for (int64_t size : entry.shape.dims()) sizes += text(sizes.empty() ? "" : ",", size);
    header += text(header.size() > 1 ? "," : "", name, ":{\"dtype\":\"", code, "\",\"shape\":[", sizes,
                   "],\"data_offsets\":[", next, ",", next + entry.nbytes(), "]}");
    next += entry.nbytes();
  }
  header += '}';
  header.append((8 - header.size() % 8) % 8, ' ');
  require(header.size() <= kLongestSafetensorsHeader, sink.label(), ": the header would be ", header.size(),
          " bytes long; the format allows ", kLongestSafetensorsHeader);
  unsigned char length[8];
  for (int i = 0; i < 8; ++i) length[i] = static_cast<unsigned char>(uint64_t{header.size()} >> (8 * i));
  sink.write(length, sizeof length);
  sink.write(header);
  for (std::size_t i : order) {
    for_each_piece(contents, i, [&](const std::byte* bytes, std::size_t count) { sink.write(bytes, count); });
  }
}

}  // namespace lutra
