#include "ops/fault.h"

namespace lutra {
namespace {

// Numbers that count from 1 and never from the end.
Error outside(const char* lua_name, const char* what, const char* of, const Fault& fault) {
  if (fault.value == 0) {
    return Error(ErrorCode::InvalidArgument, text(lua_name, ": ", what, " 0; ", what, "s count from 1"));
  }
  return Error(ErrorCode::OutOfRange,
               text(lua_name, ": ", what, " ", fault.value, " is not there: there are ", fault.limit, " ", of));
}

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
    case FaultCode::NegativeShift:
      return Error(ErrorCode::InvalidArgument,
                   text(lua_name, ": the count ", fault.value, " is negative; shift the other way instead"));
    case FaultCode::IndexZero:
      return Error(ErrorCode::InvalidArgument, text(lua_name, ": index 0; indices count from 1"));
    case FaultCode::IndexOutOfRange:
      return Error(ErrorCode::OutOfRange,
                   text(lua_name, ": index ", fault.value, " is past the axis' end (", fault.limit, ")"));
    case FaultCode::ValueBelowFirst:
      return Error(ErrorCode::InvalidArgument,
                   text(lua_name, ": x holds ", fault.value, ", and values count from ", fault.limit));
    case FaultCode::LabelOutOfRange: return outside(lua_name, "label", "classes", fault);
    case FaultCode::IdOutOfRange: return outside(lua_name, "id", "rows", fault);
    case FaultCode::NoDistribution:
      return Error(ErrorCode::InvalidArgument,
                   text(lua_name, ": a row of logits has nan, inf or nothing but -inf, which is no distribution"));
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
