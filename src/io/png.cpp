// Pictures: {height, width, channels} of uint8, where channels are 1 grey, 2 grey and alpha, 3 RGB, 4 RGB and alpha.
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "io/formats.h"

namespace lutra {
namespace {

// Note [libpng's errors]. libpng reports errors by longjmp, which skips destructors, and no exception may pass through
// it. So code that runs under setjmp has no object with a destructor: the PngJob lives in the caller's frame and stores
// an Error thrown by a source or a sink.
struct PngJob {
  explicit PngJob(bool is_reading) : reads(is_reading) {}
  ~PngJob() {
    if (png == nullptr) return;
    if (reads) png_destroy_read_struct(&png, &info, nullptr);
    else png_destroy_write_struct(&png, &info);
  }
  PngJob(const PngJob&) = delete;
  // Called after a failed step.
  [[noreturn]] void fail_with(const std::string& label) {
    if (error) std::rethrow_exception(error);
    if (lacks_memory)
      fail(ErrorCode::ResourceExhausted, label, ": no memory to ", reads ? "read" : "write", " a picture");
    if (reads) fail_at(label, offset, "this is no png file that can be read: ", message);
    fail(ErrorCode::Internal, label, ": libpng: ", message);
  }

  bool reads;
  png_structp png = nullptr;
  png_infop info = nullptr;
  ByteSource* source = nullptr;
  ByteSink* sink = nullptr;
  uint64_t offset = 0;
  std::exception_ptr error;
  bool lacks_memory = false;
  char message[128] = "";
  png_uint_32 width = 0, height = 0;
  int channels = 0, passes = 1;
};

[[noreturn]] void stop(png_structp png, png_const_charp message) {
  PngJob* job = static_cast<PngJob*>(png_get_error_ptr(png));
  std::strncpy(job->message, message, sizeof job->message - 1);
  job->message[sizeof job->message - 1] = '\0';
  png_longjmp(png, 1);
}

void ignore(png_structp, png_const_charp) {}

void* allocate(png_structp png, png_alloc_size_t bytes) {
  void* memory = std::malloc(bytes);
  if (memory == nullptr) static_cast<PngJob*>(png_get_mem_ptr(png))->lacks_memory = true;
  return memory;
}

void release(png_structp, void* memory) { std::free(memory); }

void read_bytes(png_structp png, png_bytep to, std::size_t bytes) {
  PngJob* job = static_cast<PngJob*>(png_get_io_ptr(png));
  try {
    job->source->read(job->offset, reinterpret_cast<std::byte*>(to), bytes);
    job->offset += bytes;
    return;
  } catch (...) {
    job->error = std::current_exception();
  }
  png_error(png, "");
}

void write_bytes(png_structp png, png_bytep bytes, std::size_t count) {
  PngJob* job = static_cast<PngJob*>(png_get_io_ptr(png));
  try {
    job->sink->write(bytes, count);
    return;
  } catch (...) {
    job->error = std::current_exception();
  }
  png_error(png, "");
}

// Reads up to the first row, and sets eight bits per channel.
bool read_start(PngJob& job) {
  job.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &job, stop, ignore, &job, allocate, release);
  if (job.png == nullptr) return false;
  if (setjmp(png_jmpbuf(job.png)) != 0) return false;
  job.info = png_create_info_struct(job.png);
  if (job.info == nullptr) return false;
  png_set_read_fn(job.png, &job, read_bytes);
  // Texts and colour profiles are not needed.
  png_set_keep_unknown_chunks(job.png, PNG_HANDLE_CHUNK_NEVER, nullptr, 0);
  png_set_chunk_malloc_max(job.png, 1 << 20);
  png_set_chunk_cache_max(job.png, 16);
  png_read_info(job.png, job.info);
  png_set_expand(job.png);    // palettes, fewer than 8 bits, a transparent colour
  png_set_strip_16(job.png);  // the upper eight bits of sixteen, as TensorFlow's decode_png gives
  job.passes = png_set_interlace_handling(job.png);
  png_read_update_info(job.png, job.info);
  job.width = png_get_image_width(job.png, job.info);
  job.height = png_get_image_height(job.png, job.info);
  job.channels = png_get_channels(job.png, job.info);
  return png_get_bit_depth(job.png, job.info) == 8 &&
         png_get_rowbytes(job.png, job.info) == std::size_t{job.width} * static_cast<std::size_t>(job.channels);
}

bool read_rows(PngJob& job, std::byte* to) {
  if (setjmp(png_jmpbuf(job.png)) != 0) return false;
  std::size_t row_bytes = std::size_t{job.width} * static_cast<std::size_t>(job.channels);
  for (int pass = 0; pass < job.passes; ++pass) {
    for (png_uint_32 row = 0; row < job.height; ++row) {
      png_read_row(job.png, reinterpret_cast<png_bytep>(to + row * row_bytes), nullptr);
    }
  }
  png_read_end(job.png, nullptr);
  return true;
}

class PngReader final : public FileReader {
 public:
  explicit PngReader(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {
    PngJob job(true);
    start(job);
    Shape shape{job.height, job.width, job.channels};
    uint64_t bytes = static_cast<uint64_t>(shape.size());
    // One bit of a palette with transparent colours becomes four bytes.
    if (is_too_much_for_deflate(bytes / 32, source_->size())) {
      fail_at(source_->label(), 16, "a picture of ", job.width, " x ", job.height, " is too large for a file of ",
              source_->size(), " bytes");
    }
    entries_.push_back({"", DType::UInt8, shape});
  }
  void read(std::size_t, std::byte* to) override {
    PngJob job(true);
    start(job);
    Shape shape{job.height, job.width, job.channels};
    require(shape == entries_[0].shape, source_->label(), ": the file changed while it was being read");
    if (!read_rows(job, to)) job.fail_with(source_->label());
  }

 private:
  void start(PngJob& job) {
    job.source = source_.get();
    if (!read_start(job)) job.fail_with(source_->label());
  }
  std::unique_ptr<ByteSource> source_;
};

bool write_start(PngJob& job) {
  constexpr int kColours[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                              PNG_COLOR_TYPE_RGB_ALPHA};
  job.png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &job, stop, ignore, &job, allocate, release);
  if (job.png == nullptr) return false;
  if (setjmp(png_jmpbuf(job.png)) != 0) return false;
  job.info = png_create_info_struct(job.png);
  if (job.info == nullptr) return false;
  png_set_write_fn(job.png, &job, write_bytes, nullptr);
  png_set_IHDR(job.png, job.info, job.width, job.height, 8, kColours[job.channels - 1], PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(job.png, job.info);
  return true;
}

bool write_rows(PngJob& job, const std::byte* rows, std::size_t count, std::size_t row_bytes) {
  if (setjmp(png_jmpbuf(job.png)) != 0) return false;
  for (std::size_t row = 0; row < count; ++row) {
    png_write_row(job.png, reinterpret_cast<png_const_bytep>(rows + row * row_bytes));
  }
  return true;
}

bool write_end(PngJob& job) {
  if (setjmp(png_jmpbuf(job.png)) != 0) return false;
  png_write_end(job.png, nullptr);
  return true;
}

constexpr int64_t kLargestSide = 1'000'000;  // libpng reads no larger picture

}  // namespace

std::unique_ptr<FileReader> open_png(std::unique_ptr<ByteSource> source) {
  return std::make_unique<PngReader>(std::move(source));
}

void write_png(FileContents& contents, ByteSink& sink) {
  const FileEntry& entry = contents.entries()[0];
  const Shape& shape = entry.shape;
  int64_t channels = shape.rank() == 3 ? shape[2] : 1;
  require(entry.dtype == DType::UInt8, sink.label(), ": the tensor is ", entry.dtype,
          "; a picture takes uint8, 0 to 255: scale, clip and cast it");
  require((shape.rank() == 2 || shape.rank() == 3) && channels >= 1 && channels <= 4, sink.label(), ": a tensor ",
          shape, " is no picture; png takes {height, width} or {height, width, channels} with 1 to 4 channels");
  require(shape[0] >= 1 && shape[0] <= kLargestSide && shape[1] >= 1 && shape[1] <= kLargestSide, sink.label(),
          ": a picture ", shape, "; its sides can be 1 to ", kLargestSide);
  PngJob job(false);
  job.sink = &sink;
  job.height = static_cast<png_uint_32>(shape[0]);
  job.width = static_cast<png_uint_32>(shape[1]);
  job.channels = static_cast<int>(channels);
  auto check = [&](bool ok) {
    if (!ok) job.fail_with(sink.label());
  };
  check(write_start(job));
  std::size_t row_bytes = static_cast<std::size_t>(shape[1] * channels), height = static_cast<std::size_t>(shape[0]);
  std::size_t at_once = std::min(height, (std::size_t{1} << 20) / row_bytes + 1);
  std::vector<std::byte> rows(at_once * row_bytes);
  for (std::size_t row = 0; row < height; row += at_once) {
    std::size_t count = std::min(at_once, height - row);
    contents.read(0, row * row_bytes, rows.data(), count * row_bytes);
    check(write_rows(job, rows.data(), count, row_bytes));
  }
  check(write_end(job));
}

}  // namespace lutra
