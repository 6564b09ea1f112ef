// A tensor that can be assigned. It is a TensorRep whose `value` says that it is a variable and names it for life; as
// an op's input it is used as it is. It stays on the device it was made on. An update writes in place when nobody else
// holds the memory (a tape, a read, a slice), else into fresh memory, so tensors read before never change.
#pragma once

#include <span>
#include <string_view>

#include "eager/context.h"
#include "ops/slice.h"

namespace lutra {

// Makes a variable of `initial` on the first device that the scopes mean; logs VarHandleOp and AssignVariableOp.
void make_variable(Context& context, const TensorRep& initial, bool trainable, TensorRep* variable);

enum class Assign : uint8_t { Set, Add, Sub };
// variable = value, variable + value, variable - value. `name` is for error texts. Fails (InvalidArgument) unless a
// tensor has the variable's shape and a dtype that its takes in; a number fits every shape. `literals`: Call's.
void assign(Context& context, std::string_view name, TensorRep& variable, const Operand& value, Assign how,
            OriginRange literals);
// variable[slice] = value, which is broadcast to the slice.
void assign_slice(Context& context, std::string_view name, TensorRep& variable, const SliceAttrs& slice,
                  const Operand& value, OriginRange literals);

// Runs an op whose output i becomes the value of variables[i], which is an input of it; all live on one device.
void update(Context& context, Call& call, std::span<TensorRep* const> variables);

// Its value as a tensor, shared until the variable is assigned; logs ReadVariableOp.
void read_variable(Context& context, const TensorRep& variable, TensorRep* out);

}  // namespace lutra
