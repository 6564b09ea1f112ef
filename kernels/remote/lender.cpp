#include "kernels/remote/lender.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "device/sim/uncomputed.h"
#include "kernels/remote/tables.h"

namespace lutra {
namespace {

template <class Body> Body body_of(std::span<const std::byte> bytes) {
  require(bytes.size() >= sizeof(Body), "a message is cut off");
  Body body;
  std::memcpy(&body, bytes.data(), sizeof body);
  return body;
}

// What streams run, with these as arguments.
struct Answering {
  Lender* lender;
  uint16_t stream;
  uint64_t seq;
  std::byte* data;
  std::size_t bytes;
  Fault* fault;
};

void tell_done(void* arguments) {
  const Answering& done = *static_cast<Answering*>(arguments);
  done.lender->answer(MessageKind::Done, done.stream, bytes_of(SeqBody{done.seq}));
}

void tell_data(void* arguments) {
  const Answering& data = *static_cast<Answering*>(arguments);
  const char* missing = Uncomputed::all().any() ? Uncomputed::all().find(data.data, data.bytes) : nullptr;
  const auto rest = missing != nullptr ? bytes_of(std::string_view(missing)) : std::span(data.data, data.bytes);
  data.lender->answer(missing != nullptr ? MessageKind::Missing : MessageKind::Data, data.stream,
                      bytes_of(SeqBody{data.seq}), rest);
}

void tell_fault(void* arguments) {
  const Answering& launch = *static_cast<Answering*>(arguments);
  const std::unique_ptr<Fault> fault(launch.fault);
  if (!fault->happened()) return;
  const FaultBody body{launch.seq, static_cast<uint32_t>(fault->code.load()), 0, fault->value, fault->limit};
  launch.lender->answer(MessageKind::Fault, launch.stream, bytes_of(body));
}

// Takes equally long wherever they differ.
bool are_equal(std::string_view a, std::string_view b) {
  unsigned differs = a.size() != b.size();
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) differs |= static_cast<unsigned char>(a[i] ^ b[i]);
  return differs == 0;
}

void free_bytes(void* arguments) { delete[] static_cast<Answering*>(arguments)->data; }

void queue(Stream& stream, void (*run)(void*), const Answering& answering) {
  stream.submit(run, &answering, sizeof answering, nullptr);
}

}  // namespace

Lender::Lender(int socket, int count, const SimOptions& each, std::string token)
    : socket_(socket), token_(std::move(token)), reader_(socket) {
  for (int i = 0; i < count; ++i) devices_.push_back(std::make_unique<SimDevice>(i, each, nullptr));
}

Lender::~Lender() {
  shutdown(socket_, SHUT_RDWR);  // what is left to answer goes nowhere
  streams_.clear();              // runs what is queued
  for (auto& [at, region] : regions_) region.device->pages()->release(region.here, region.bytes);
  close(socket_);
}

void Lender::answer(MessageKind kind, uint16_t stream, std::span<const std::byte> body,
                    std::span<const std::byte> rest) {
  const MessageHead head{body.size() + rest.size(), stream, kind};
  std::lock_guard lock(send_mutex_);
  if (send_all(socket_, bytes_of(head)) && send_all(socket_, body)) send_all(socket_, rest);
}

bool Lender::greet() {
  MessageHead head;
  if (!reader_.receive(&head)) return false;
  if (head.kind != MessageKind::Hello || head.bytes > 4096) return false;
  std::string hello(head.bytes, '\0');
  if (!reader_.receive(reinterpret_cast<std::byte*>(hello.data()), hello.size())) return false;
  // "fingerprint\ntoken"
  const std::size_t end = std::min(hello.find('\n'), hello.size());
  const std::string program = hello.substr(0, end), given = hello.substr(std::min(end + 1, hello.size()));
  const std::string& own = remote_tables().fingerprint;
  std::string told;
  if (!are_equal(given, token_) && !token_.empty()) {
    told = text("it asks for a token, and ", given.empty() ? "the program gives none" : "the program's is another one",
                ": connect_to_cluster(jobs, {token = FILE}) with the same file");
  } else if (program != own) {
    told = text("it is of another build of Lutra (", own, ", and the program ", program, "): both need the same one");
  }
  const bool fits = told.empty();
  told += '\n';
  for (const std::unique_ptr<SimDevice>& device : devices_) append(told, text(device->memory().total_bytes, "\n"));
  answer(MessageKind::Welcome, 0, bytes_of(std::string_view(told)));
  return fits;
}

void Lender::run() {
  if (!greet()) return;
  std::vector<std::byte> body;
  MessageHead head;
  while (reader_.receive(&head)) {
    try {
      const std::size_t most = head.kind == MessageKind::Upload ? kMostUpload + sizeof(CopyBody) : kMostMessage;
      require(head.bytes <= most, "a message has ", head.bytes, " bytes");
      body.resize(head.bytes);
      if (!reader_.receive(body.data(), body.size())) return;
      obey(head, body);
    } catch (const Error& error) {
      answer(MessageKind::Refused, 0, bytes_of(std::string_view(error.message())));
      return;
    }
  }
}

Stream& Lender::stream(uint64_t number) {
  require(number < streams_.size(), "there is no stream ", number);
  return *streams_[number];
}

SimDevice& Lender::device(uint64_t number) {
  require(number < devices_.size(), "there is no device ", number);
  return *devices_[number];
}

Lender::Region& Lender::region_of(uint64_t at, std::size_t bytes) {
  auto after = regions_.upper_bound(at);
  if (after != regions_.begin()) {
    auto& [base, region] = *std::prev(after);
    const uint64_t offset = at - base;
    if (offset <= region.bytes && bytes <= region.bytes - offset) return region;
  }
  fail(ErrorCode::InvalidArgument, "an address lies outside of the program's memory");
}

std::byte* Lender::translate(uint64_t at, std::size_t bytes) {
  Region& region = region_of(at, bytes);
  auto after = region.mapped.upper_bound(at);
  const bool has_memory = after != region.mapped.begin() && at + bytes <= std::prev(after)->second;
  require(has_memory, "an address lies outside of the program's memory");
  return region.here + (at - region.base);
}

void Lender::obey(const MessageHead& head, std::span<const std::byte> body) {
  switch (head.kind) {
    case MessageKind::Reserve:
    case MessageKind::Release:
    case MessageKind::Map:
    case MessageKind::Unmap: return change_memory(head, body_of<RangeBody>(body));
    case MessageKind::Open:
      require(streams_.size() < UINT16_MAX && head.stream == streams_.size(), "a stream has another number");
      streams_.push_back(device(body_of<OpenBody>(body).device).new_stream());
      return;
    case MessageKind::Launch: return launch(head, body);
    case MessageKind::Upload:
    case MessageKind::Copy:
    case MessageKind::Download: return copy(head, body);
    case MessageKind::Wait:
      // What the program waits for was sent before.
      return stream(head.stream).wait_for(stream(body_of<WaitBody>(body).other).tail_ticket());
    case MessageKind::Mark:
      return queue(stream(head.stream), tell_done,
                   {this, head.stream, body_of<SeqBody>(body).seq, nullptr, 0, nullptr});
    default: fail(ErrorCode::InvalidArgument, "a message is of the unknown kind ", static_cast<int>(head.kind));
  }
}

void Lender::change_memory(const MessageHead& head, const RangeBody& range) {
  const uint64_t begin = range.at, end = range.at + range.bytes;
  require(range.bytes > 0 && end > begin, "a range of memory is malformed");
  SimDevice& card = device(head.stream);
  PageSource& pages = *card.pages();
  if (head.kind == MessageKind::Reserve) {
    auto next = regions_.lower_bound(begin);
    const bool is_free = (next == regions_.end() || end <= next->first) &&
                         (next == regions_.begin() || std::prev(next)->first + std::prev(next)->second.bytes <= begin);
    require(is_free, "memory is reserved twice");
    std::byte* here = pages.reserve(range.bytes);
    if (here == nullptr)
      fail(ErrorCode::ResourceExhausted, "the host has no addresses left for ", range.bytes, " bytes");
    regions_[begin] = {range.bytes, begin, here, &card, {}};
    return;
  }
  Region& region = region_of(begin, range.bytes);
  require(region.device == &card, "memory is another device's");
  std::byte* here = region.here + (begin - region.base);
  std::map<uint64_t, uint64_t>& mapped = region.mapped;
  if (head.kind == MessageKind::Map) {
    auto next = mapped.upper_bound(begin);
    const bool is_free =
        (next == mapped.end() || end <= next->first) && (next == mapped.begin() || std::prev(next)->second <= begin);
    require(is_free, "memory is mapped twice");
    if (!pages.map(here, range.bytes)) fail(ErrorCode::ResourceExhausted, pages.why());
    uint64_t first = begin, last = end;
    if (next != mapped.begin() && std::prev(next)->second == begin) first = std::prev(next)->first;
    if (next != mapped.end() && next->first == end) {
      last = next->second;
      mapped.erase(next);
    }
    mapped[first] = last;
    return;
  }
  // The program has waited for the commands that used it, but some may answer still.
  for (std::unique_ptr<Stream>& each : streams_) host_wait(each->tail_ticket());
  if (head.kind == MessageKind::Unmap) {
    translate(begin, range.bytes);
    auto part = std::prev(mapped.upper_bound(begin));
    const uint64_t last = part->second;
    if (part->first == begin) mapped.erase(part);
    else part->second = begin;
    if (end < last) mapped[end] = last;
    return pages.unmap(here, range.bytes);
  }
  require(begin == region.base && range.bytes == region.bytes, "memory is released in parts");
  pages.release(here, range.bytes);
  regions_.erase(begin);
}

void Lender::copy(const MessageHead& head, std::span<const std::byte> bytes) {
  const CopyBody body = body_of<CopyBody>(bytes);
  Stream& queue_here = stream(head.stream);
  if (head.kind == MessageKind::Copy) {
    queue_here.copy({translate(body.to, body.bytes), translate(body.from, body.bytes), body.bytes}, false);
    return;
  }
  if (head.kind == MessageKind::Download) {
    queue(queue_here, tell_data, {this, head.stream, body.seq, translate(body.from, body.bytes), body.bytes, nullptr});
    return;
  }
  bytes = bytes.subspan(sizeof body);
  require(bytes.size() == body.bytes, "an upload has ", bytes.size(), " bytes, not ", body.bytes);
  std::byte* to = translate(body.to, body.bytes);
  constexpr std::size_t kCarried = 65536;
  if (body.bytes <= kCarried) {
    queue_here.copy({to, bytes.data(), body.bytes}, true);
    return;
  }
  auto held = std::make_unique<std::byte[]>(body.bytes);
  std::memcpy(held.get(), bytes.data(), body.bytes);
  queue_here.copy({to, held.get(), body.bytes}, false);
  queue(queue_here, free_bytes, {this, 0, 0, held.release(), 0, nullptr});
}

void Lender::launch(const MessageHead& head, std::span<const std::byte> bytes) {
  const SeqBody seq = body_of<SeqBody>(bytes);
  read_launch(
      bytes.subspan(sizeof seq), [this](uint64_t at, std::size_t count) { return translate(at, count); }, &read_);
  Stream& queue_here = stream(head.stream);
  auto fault = read_.checks_values ? std::make_unique<Fault>() : nullptr;
  read_.args.fault = fault.get();
  remote_tables().cards.submit(queue_here, *read_.kernel, read_.args);
  if (fault != nullptr) queue(queue_here, tell_fault, {this, head.stream, seq.seq, nullptr, 0, fault.release()});
}

}  // namespace lutra
