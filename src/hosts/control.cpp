#include "hosts/control.h"

#include <sched.h>

namespace lutra {
namespace {

constexpr int kControlTag = 1;

}  // namespace

Control::Control(const MpiCalls& calls, int rank, int size) : calls_(calls), rank_(rank), size_(size) {
  if (rank == 0) coordinator_.emplace(size);
}

std::optional<int> Control::receive() {
  int from = 0;
  std::size_t count = 0;
  if (!calls_.probe(kControlTag, &from, &count)) return std::nullopt;
  std::string bytes(count, '\0');
  MpiRequest request = calls_.receive(bytes.data(), count, from, kControlTag);
  while (!calls_.done(&request, 1)) sched_yield();
  if (Message message; unpack(bytes, &message)) hear(from, message);
  post_answers();
  return from;
}

void Control::hear(int from, const Message& message) {
  switch (message.kind) {
    case Message::Go:
    case Message::Verdict: answer_ = message; return;
    case Message::Bye: is_over_ = true; return;
    case Message::Beat: return;
    default:
      if (coordinator_) coordinator_->hear(from, message);
  }
}

void Control::post(int to, const Message& message) {
  auto sent = std::make_unique<Sent>(Sent{0, packed(message)});
  sent->request = calls_.send(sent->bytes.data(), sent->bytes.size(), to, kControlTag);
  sent_.push_back(std::move(sent));
}

void Control::tell(const Message& message) {
  if (!coordinator_) return post(0, message);
  coordinator_->hear(0, message);
  post_answers();
}

void Control::post_answers() {
  if (!coordinator_) return;
  for (const auto& [to, message] : coordinator_->answers()) {
    if (to == 0) hear(0, message);
    else post(to, message);
  }
}

void Control::beat() {
  const Message message{.kind = Message::Beat};
  if (rank_ != 0) return post(0, message);
  for (int r = 1; r < size_; ++r) post(r, message);
}

bool Control::free_sent() {
  std::erase_if(sent_, [this](const std::unique_ptr<Sent>& each) { return calls_.done(&each->request, 1); });
  return sent_.empty();
}

}  // namespace lutra
