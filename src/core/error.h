// How errors are reported: an Error has a code that programs can test, a message that says what to do, and named
// fields. `fail` and `require` are for the user's mistakes; `assert` is for ours.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text.h"

namespace lutra {

enum class ErrorCode : uint8_t {
  InvalidArgument,
  NotFound,
  FailedPrecondition,
  ResourceExhausted,
  OutOfRange,
  Unimplemented,
  Cancelled,
  DeadlineExceeded,
  Aborted,
  Internal,
};

const char* name(ErrorCode code);

class Error : public std::exception {
 public:
  using Fields = std::vector<std::pair<std::string, std::string>>;

  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  // Extra facts for programs: device, requested, hint. Becomes err.device and so on in Lua.
  Error& with(std::string_view key, std::string_view value);

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  const Fields& fields() const { return fields_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  ErrorCode code_;
  std::string message_;
  Fields fields_;
};

template <class... Parts> [[noreturn, gnu::cold, gnu::noinline]] void fail(ErrorCode code, const Parts&... parts) {
  throw Error(code, text(parts...));
}

// InvalidArgument unless `ok`.
template <class... Parts> void require(bool ok, const Parts&... parts) {
  if (!ok) [[unlikely]]
    fail(ErrorCode::InvalidArgument, parts...);
}

}  // namespace lutra
