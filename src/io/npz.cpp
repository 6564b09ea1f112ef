// NumPy's npz: a zip archive of npy files, each called NAME.npy.
#include <algorithm>

#include "io/formats.h"
#include "io/npy.h"
#include "io/zip.h"

namespace lutra {
namespace {

constexpr std::string_view kSuffix = ".npy";

class NpzReader final : public FileReader {
 public:
  explicit NpzReader(std::unique_ptr<ByteSource> source) : source_(std::move(source)), zip_(*source_) {
    for (const ZipMember& member : zip_.members()) members_.push_back(&member);
    auto bare = [](const ZipMember* member) { return std::string_view(member->name); };
    for (const ZipMember* member : members_) {
      if (!bare(member).ends_with(kSuffix)) {
        fail_at(source_->label(), member->header, quote(member->name), " is no .npy file");
      }
      if (bare(member).find('\0') != std::string_view::npos) {
        fail_at(source_->label(), member->header, quote(member->name), " has a zero byte in its name");
      }
    }
    auto stem = [&](const ZipMember* member) { return bare(member).substr(0, member->name.size() - kSuffix.size()); };
    std::sort(members_.begin(), members_.end(), [&](auto* a, auto* b) { return stem(a) < stem(b); });
    for (const ZipMember* member : members_) {
      NpyHeader header = read_npy_header(*open(*member));
      entries_.push_back({std::string(stem(member)), header.dtype, header.shape});
    }
  }
  void read(std::size_t entry, std::byte* to) override {
    std::unique_ptr<ByteStream> stream = open(*members_[entry]);
    NpyHeader header = read_npy_header(*stream);
    read_npy_elements(*stream, header, to);
  }

 private:
  std::unique_ptr<ByteStream> open(const ZipMember& member) {
    return zip_.open(member, text(source_->label(), ", ", quote(member.name)));
  }

  std::unique_ptr<ByteSource> source_;
  ZipReader zip_;
  std::vector<const ZipMember*> members_;  // in the order of entries_
};

}  // namespace

std::unique_ptr<FileReader> open_npz(std::unique_ptr<ByteSource> source) {
  return std::make_unique<NpzReader>(std::move(source));
}

void write_npz(FileContents& contents, ByteSink& sink, bool compress) {
  ZipWriter zip(sink, compress);
  for (std::size_t i = 0; i < contents.entries().size(); ++i) {
    const FileEntry& entry = contents.entries()[i];
    require(entry.name.size() + kSuffix.size() <= 0xffff, sink.label(), ": the name ", quote(entry.name), " is ",
            entry.name.size(), " bytes long; a zip archive has room for ", 0xffff - kSuffix.size());
    require(entry.name.find('\0') == std::string::npos, sink.label(), ": the name ", quote(entry.name),
            " has a zero byte in it");
    std::string header = npy_header(text(sink.label(), ", ", quote(entry.name)), entry);
    zip.begin(entry.name + std::string(kSuffix), header.size() + entry.nbytes());
    zip.write(header.data(), header.size());
    for_each_piece(contents, i, [&](const std::byte* bytes, std::size_t count) { zip.write(bytes, count); });
    zip.end();
  }
  zip.finish();
}

}  // namespace lutra
