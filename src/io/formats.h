// A reader and a writer for each format, in the format's own file; tensor_file.cpp chooses.
#pragma once

#include "io/tensor_file.h"

namespace lutra {

std::unique_ptr<FileReader> open_npy(std::unique_ptr<ByteSource> source);
std::unique_ptr<FileReader> open_npz(std::unique_ptr<ByteSource> source);
std::unique_ptr<FileReader> open_safetensors(std::unique_ptr<ByteSource> source);
std::unique_ptr<FileReader> open_csv(std::unique_ptr<ByteSource> source, const ReadOptions& options);
std::unique_ptr<FileReader> open_png(std::unique_ptr<ByteSource> source);
std::unique_ptr<FileReader> open_idx(std::unique_ptr<ByteSource> source);

void write_npy(FileContents& contents, ByteSink& sink);
void write_npz(FileContents& contents, ByteSink& sink, bool compress);
void write_safetensors(FileContents& contents, ByteSink& sink, const FileMetadata& metadata);
void write_csv(FileContents& contents, ByteSink& sink, const WriteOptions& options);
void write_png(FileContents& contents, ByteSink& sink);
void write_idx(FileContents& contents, ByteSink& sink);

// Deflate shrinks at most 1032 bytes into one. A file that claims more is wrong, and refused before memory is
// allocated.
inline bool is_too_much_for_deflate(uint64_t unpacked, uint64_t packed) { return unpacked / 1032 > packed + 64; }

}  // namespace lutra
