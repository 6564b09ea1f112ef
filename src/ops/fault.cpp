#include "ops/fault.h"

#include <cassert>

#include "ops/op.h"

namespace lutra {

Error fault_error(const OpDef& op, const Fault& fault) {
  switch (fault.code.load()) {
    case FaultCode::WrongValue: assert(op.fault != nullptr); return op.fault(op.called(), fault);
    case FaultCode::OutOfMemory:
      return Error(ErrorCode::ResourceExhausted, text(op.called(), ": out of memory while computing"));
    case FaultCode::Injected:
      return Error(ErrorCode::Internal, text(op.called(), ": the command failed on the device"));
    case FaultCode::None: break;
  }
  return Error(ErrorCode::Internal, text(op.called(), ": no fault"));
}

}  // namespace lutra
