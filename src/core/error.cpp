#include "core/error.h"

namespace lutra {

const char* name(ErrorCode code) {
  switch (code) {
    case ErrorCode::InvalidArgument: return "InvalidArgument";
    case ErrorCode::NotFound: return "NotFound";
    case ErrorCode::FailedPrecondition: return "FailedPrecondition";
    case ErrorCode::ResourceExhausted: return "ResourceExhausted";
    case ErrorCode::OutOfRange: return "OutOfRange";
    case ErrorCode::Unimplemented: return "Unimplemented";
    case ErrorCode::Cancelled: return "Cancelled";
    case ErrorCode::DeadlineExceeded: return "DeadlineExceeded";
    case ErrorCode::Aborted: return "Aborted";
    case ErrorCode::Internal: return "Internal";
  }
  return "Internal";
}

Error& Error::with(std::string_view key, std::string_view value) {
  fields_.emplace_back(key, value);
  return *this;
}

}  // namespace lutra
