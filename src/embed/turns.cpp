#include "embed/turns.h"

#include "embed/host.h"

namespace lutra::embed {
namespace {

// How many turns this thread has.
int& held() {
  static thread_local int count = 0;
  return count;
}

}  // namespace

Turns::Entered Turns::enter(lutra_t& lutra) {
  if (is_mine()) {
    if (depth_ == kMostUses || (depth_ > 0 && !uses_[depth_ - 1].lutra->in_function)) return Entered::InCallback;
  } else {
    if (held() == 0) mutex_.lock();
    else if (!mutex_.try_lock()) return Entered::WouldBlock;
    holder_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    ++held();
  }
  Log& log = runtime_->log();
  uses_[depth_++] = {&lutra, log.sink(), log.user()};
  show_log(lutra, log);
  return Entered::Yes;
}

void Turns::leave() {
  const Use& use = uses_[--depth_];
  runtime_->log().set_sink(use.sink, use.sink_user);
  if (depth_ == 0) leave_after_freeing();
}

bool Turns::enter_to_free() {
  if (is_mine() || !mutex_.try_lock()) return false;
  holder_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  ++held();
  return true;
}

void Turns::leave_after_freeing() {
  --held();
  holder_.store({}, std::memory_order_relaxed);
  mutex_.unlock();
}

}  // namespace lutra::embed

using namespace lutra;
using namespace lutra::embed;

extern "C" {

lutra_runtime_t* lutra_runtime_open(const lutra_options* options) {
  lutra_runtime_t* opened = nullptr;
  attempt(nullptr, [&] {
    auto made = std::make_unique<lutra_runtime_t>();
    made->turns = std::make_shared<Turns>(new_runtime(options));
    opened = made.release();
  });
  return opened;
}

void lutra_runtime_close(lutra_runtime_t* runtime) { delete runtime; }

}  // extern "C"
