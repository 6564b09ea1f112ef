#include "hosts/message.h"

#include <cstring>

namespace lutra {
namespace {

// All ranks run the same build on machines with the same byte order.
struct Head {
  uint8_t kind, is_complete, has_failed, was_interrupted;
  int32_t rank;
  uint64_t sequence, hash, check, note;
  uint32_t code, what, where, zero;  // lengths of the texts, which follow
};
static_assert(sizeof(Head) == 56);

}  // namespace

std::string packed(const Message& message) {
  auto length = [](const std::string& text) { return static_cast<uint32_t>(text.size()); };
  const Head head{message.kind,
                  message.is_complete,
                  message.has_failed,
                  message.was_interrupted,
                  message.rank,
                  message.sequence,
                  message.hash,
                  message.check,
                  message.note,
                  length(message.code),
                  length(message.what),
                  length(message.where),
                  0};
  std::string bytes(reinterpret_cast<const char*>(&head), sizeof head);
  return bytes + message.code + message.what + message.where;
}

bool unpack(std::string_view bytes, Message* out) {
  Head head;
  if (bytes.size() < sizeof head) return false;
  std::memcpy(&head, bytes.data(), sizeof head);
  bytes.remove_prefix(sizeof head);
  if (head.kind > Message::Bye || bytes.size() != std::size_t{head.code} + head.what + head.where) return false;
  *out = Message{static_cast<Message::Kind>(head.kind),
                 head.is_complete != 0,
                 head.has_failed != 0,
                 head.was_interrupted != 0,
                 head.rank,
                 head.sequence,
                 head.hash,
                 head.check,
                 head.note,
                 std::string(bytes.substr(0, head.code)),
                 std::string(bytes.substr(head.code, head.what)),
                 std::string(bytes.substr(head.code + head.what))};
  return true;
}

}  // namespace lutra
