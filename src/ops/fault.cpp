#include "ops/fault.h"

namespace lutra {

namespace {

std::string matrix_of(const Fault& fault) {
  return fault.limit > 1 ? text("matrix ", fault.value, " of the batch of ", fault.limit) : std::string("the matrix");
}

}  // namespace

Error fault_error(const char* lua_name, const Fault& fault) {
  switch (fault.code.load()) {
    case FaultCode::DivideByZero:
      return Error(ErrorCode::InvalidArgument,
                   text(lua_name, ": an integer is divided by zero; cast to a float for inf and nan"));
    case FaultCode::NegativePower:
      return Error(ErrorCode::InvalidArgument, text(lua_name, ": an integer to the negative power ", fault.value,
                                                    " is a fraction; cast to a float"));
    case FaultCode::IndexZero:
      return Error(ErrorCode::InvalidArgument, text(lua_name, ": index 0; indices count from 1"));
    case FaultCode::IndexOutOfRange:
      return Error(ErrorCode::OutOfRange,
                   text(lua_name, ": index ", fault.value, " is past the axis' end (", fault.limit, ")"));
    case FaultCode::Singular:
      return Error(ErrorCode::InvalidArgument, text(lua_name, ": ", matrix_of(fault), " is singular"));
    case FaultCode::NotPositiveDefinite:
      return Error(ErrorCode::InvalidArgument, text(lua_name, ": ", matrix_of(fault), " is not positive definite"));
    case FaultCode::OutOfMemory:
      return Error(ErrorCode::ResourceExhausted, text(lua_name, ": out of memory while computing"));
    case FaultCode::Injected: return Error(ErrorCode::Internal, text(lua_name, ": the command failed on the device"));
    case FaultCode::None: break;
  }
  return Error(ErrorCode::Internal, text(lua_name, ": no fault"));
}

}  // namespace lutra
