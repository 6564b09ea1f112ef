#include "device/remote/remote_device.h"

#include <sys/mman.h>

#include <algorithm>

#include "core/error.h"

namespace lutra {
namespace {

uint64_t number_of(const std::byte* at) { return reinterpret_cast<uintptr_t>(at); }

// So often a stream asks how far the process is, so that what was kept for its commands can go.
constexpr uint64_t kAskEvery = 256;

}  // namespace

void RemotePages::tell(MessageKind kind, std::byte* at, std::size_t bytes) noexcept {
  try {
    connection_->send(kind, device_, {bytes_of(RangeBody{number_of(at), bytes})});
  } catch (...) {
    // A lost process has lost its memory too.
  }
}

std::byte* RemotePages::reserve(std::size_t bytes) {
  void* base = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return nullptr;
  auto* at = static_cast<std::byte*>(base);
  connection_->add_range(at, bytes);
  tell(MessageKind::Reserve, at, bytes);
  return at;
}

void RemotePages::release(std::byte* base, std::size_t bytes) {
  tell(MessageKind::Release, base, bytes);
  connection_->remove_range(base);
  munmap(base, bytes);
}

bool RemotePages::map(std::byte* at, std::size_t bytes) {
  connection_->check();
  if (bytes > capacity_bytes_ - mapped_bytes_) {
    refused_bytes_ = bytes;
    return false;
  }
  mapped_bytes_ += bytes;
  tell(MessageKind::Map, at, bytes);
  return true;
}

void RemotePages::unmap(std::byte* at, std::size_t bytes) {
  mapped_bytes_ -= bytes;
  tell(MessageKind::Unmap, at, bytes);
}

std::string RemotePages::why() const {
  return text("the device at ", connection_->address(), " has ", bytes_text(static_cast<int64_t>(info().free_bytes)),
              " left of ", bytes_text(static_cast<int64_t>(capacity_bytes_)), ", ",
              bytes_text(static_cast<int64_t>(refused_bytes_)), " were requested");
}

Ticket RemoteStream::submit(void (*)(void*), const void*, std::size_t, void (*)(void*, const void*)) {
  fail(ErrorCode::Internal, "a function of this process cannot run on a device of another one");
}

Ticket RemoteStream::launch(std::span<const std::byte> described, void* fault, Connection::TakeFault take) {
  const SeqBody seq{tail_ + 1};
  if (described.size() > kMostMessage - sizeof seq) {
    fail(ErrorCode::InvalidArgument, "an operation with inputs described in ", described.size(),
         " bytes is too large for a device of another process, which takes ", kMostMessage - sizeof seq,
         ": join fewer tensors at once");
  }
  if (fault != nullptr) connection_->expect_fault(number_, seq.seq, fault, take);
  connection_->send(MessageKind::Launch, number_, {bytes_of(seq), described});
  ++tail_;
  if (tail_ % kAskEvery == 0) connection_->ask(number_, tail_);
  return {this, tail_};
}

void RemoteStream::upload(const CopyRequest& request) {
  std::size_t at = 0;
  do {
    const std::size_t part = std::min(kMostUpload, request.bytes - at);
    const CopyBody body{tail_ + 1, number_of(request.to + at), 0, part};
    connection_->send(MessageKind::Upload, number_, {bytes_of(body), {request.from + at, part}});
    at += part;
  } while (at < request.bytes);
}

// The bytes that go there are taken at once, also without `carry`.
Ticket RemoteStream::copy(const CopyRequest& request, bool) {
  if (request.bytes == 0) return tail_ticket();
  const bool is_from = connection_->owns(request.from), is_to = connection_->owns(request.to);
  const CopyBody body{tail_ + 1, number_of(request.to), number_of(request.from), request.bytes};
  if (is_from && is_to) {
    connection_->send(MessageKind::Copy, number_, {bytes_of(body)});
  } else if (is_from) {
    connection_->check();
    connection_->expect_data(number_, body.seq, request.to, request.bytes);
    connection_->send(MessageKind::Download, number_, {bytes_of(body)});
  } else {
    upload(request);
  }
  return {this, ++tail_};
}

void RemoteStream::wait_for(Ticket ticket) {
  if (!ticket || ticket.stream == this) return;
  auto* other = dynamic_cast<RemoteStream*>(ticket.stream);
  if (other == nullptr || other->connection_ != connection_) return lutra::host_wait(ticket);
  if (other->reached(ticket.seq)) return;
  connection_->send(MessageKind::Wait, number_, {bytes_of(WaitBody{other->number_})});
  ++tail_;
}

void RemoteStream::host_wait(uint64_t seq) {
  if (reached(seq)) return;
  connection_->ask(number_, seq);
  connection_->wait(number_, seq);
}

bool RemoteStream::done(uint64_t seq) {
  if (reached(seq)) return true;
  connection_->ask(number_, tail_);  // whoever polls makes progress
  return reached(seq);
}

void RemoteStream::check_arrived(const std::byte* at, std::size_t) {
  if (const std::string who = connection_->missing(at); !who.empty())
    fail(ErrorCode::ResourceExhausted, who, ": out of memory while computing on the device at ",
         connection_->address());
}

std::vector<std::pair<std::string, std::string>> RemoteDevice::details() const {
  return {{"device_name", text("Simulated GPU at ", connection_->address())}, {"compute_capability", "8.0"}};
}

}  // namespace lutra
