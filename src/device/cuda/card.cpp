#include "device/cuda/card.h"

#include <utility>

#include "core/error.h"
#include "core/forks.h"
#include "core/text.h"

namespace lutra::cuda {
namespace {

int attribute_of(const Driver& driver, DeviceHandle device, int which) {
  int value = 0;
  return driver.device_attribute(&value, which, device) == kSuccess ? value : 0;
}

// After these errors every further call on the card fails: an error of the memory, of the link, or of a kernel.
bool is_fatal(Result result) {
  switch (result) {
    case 214:  // ECC_UNCORRECTABLE
    case 220:  // NVLINK_UNCORRECTABLE
    case 226:  // CONTAINED
    case 700:  // ILLEGAL_ADDRESS
    case 702:  // LAUNCH_TIMEOUT
    case 710:  // ASSERT
    case 714:  // HARDWARE_STACK_ERROR
    case 715:  // ILLEGAL_INSTRUCTION
    case 716:  // MISALIGNED_ADDRESS
    case 717:  // INVALID_ADDRESS_SPACE
    case 718:  // INVALID_PC
    case 719:  // LAUNCH_FAILED
    case 999:  // UNKNOWN
      return true;
    default: return false;
  }
}

}  // namespace

void AddressMap::remove(const std::byte* begin) {
  std::erase_if(ranges_, [begin](const Range& range) { return range.begin == begin; });
}

Card* AddressMap::find(const std::byte* at) const {
  for (const Range& range : ranges_) {
    if (at >= range.begin && at < range.begin + range.bytes) return range.card;
  }
  return nullptr;
}

Card::Card(const Driver& card_driver, DeviceHandle handle, int card_number, std::shared_ptr<AddressMap> map,
           const Log* log)
    : driver(card_driver),
      device(handle),
      number(card_number),
      multiprocessors(attribute_of(card_driver, handle, kMultiprocessorCount)),
      addresses_(std::move(map)),
      log_(log),
      born_(count_forks()) {}

Card::~Card() {
  if (context_ == nullptr) return;
  // Otherwise nothing is freed: in a forked child the context belongs to the parent, and after a fault it is unusable.
  bool is_ours = !is_forked() && !is_lost() && driver.set_context(context_) == kSuccess;
  if (libraries != nullptr && !is_ours) libraries->abandon();
  libraries.reset();
  if (!is_forked()) driver.release_context(device);
}

bool Card::is_forked() const { return count_forks() != born_; }

void Card::warn(std::string_view sentence) const {
  if (log_ != nullptr) log_->line(text("WARNING: ", sentence));
}

std::string Card::name() const { return text("GPU:", number); }

Capability Card::capability() const { return {attribute(kComputeCapabilityMajor), attribute(kComputeCapabilityMinor)}; }

int Card::attribute(int which) const { return attribute_of(driver, device, which); }

bool Card::open() {
  if (is_forked()) {
    fail(ErrorCode::FailedPrecondition, name(),
         ": GPUs do not survive a fork: the driver's state stays in the parent process. Fork before the first "
         "op, ",
         "or use the CPU in the child");
  }
  require_alive();
  if (context_ != nullptr) [[likely]]
    return true;
  Result result = driver.retain_context(&context_, device);
  if (result == kSuccess) return true;
  context_ = nullptr;
  why_closed_ = text("the card gives no context: ", driver.text_of(result));
  return false;
}

void Card::use() {
  if (!open()) fail(ErrorCode::Internal, name(), ": ", why_closed_);
  require(driver.set_context(context_), "cuCtxSetCurrent");
}

bool Card::try_use() {
  return !is_forked() && !is_lost() && context_ != nullptr && driver.set_context(context_) == kSuccess;
}

void Card::require(Result result, const char* what) {
  if (result == kSuccess) [[likely]]
    return;
  if (is_fatal(result)) lose(result, what);
  require_alive();
  fail(result == kOutOfMemory ? ErrorCode::ResourceExhausted : ErrorCode::Internal, name(), ": ", what, ": ",
       driver.text_of(result));
}

void Card::lose(Result result, const char* what) {
  if (lost_.empty()) lost_ = text(what, ": ", driver.text_of(result));
}

void Card::require_alive() const {
  if (lost_.empty()) [[likely]]
    return;
  fail(ErrorCode::Internal, name(), " was lost (", lost_,
       "): its tensors are gone, and only a new process can use it again. Other devices keep working");
}

}  // namespace lutra::cuda
