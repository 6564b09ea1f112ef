// Variables: tensors that can be assigned. A variable is a TensorRep whose `value` marks it as a variable and is its
// identity for life; ops take it as an input like any tensor. It stays on the device it was made on. An update writes
// in place if nothing else holds the memory (a tape, a read, a slice), else into fresh memory, so tensors read before
// never change.
#pragma once

#include <span>
#include <string_view>

#include "eager/context.h"
#include "ops/advanced_index.h"

namespace lutra {

// Makes a variable with the value `initial` on the first device that the scopes name. Logs VarHandleOp and
// AssignVariableOp.
void make_variable(Context& context, const TensorRep& initial, bool trainable, TensorRep* variable);

enum class Assign : uint8_t { Set, Add, Sub };
// variable = value, variable + value, variable - value. `name` is for error texts. Fails (InvalidArgument) unless a
// tensor has the variable's shape and a dtype that promotes to the variable's; a number fits every shape. `literals`:
// see Call.
void assign(Context& context, std::string_view name, TensorRep& variable, const Operand& value, Assign how,
            OriginRange literals);
// variable[slice] = value, which is broadcast to the slice.
void assign_slice(Context& context, std::string_view name, TensorRep& variable, const SliceAttrs& slice,
                  const Operand& value, OriginRange literals);

// variable[index] = value with index tensors; value is broadcast to what the index picks. Written in place if the index
// is one tensor or mask on the leading axes.
void assign_indexed(Context& context, std::string_view name, TensorRep& variable, const AdvancedIndexAttrs& index,
                    std::span<const Operand> tensors, const Operand& value, OriginRange literals);

// Runs an op that takes variables[i] as an input and whose output i becomes its value. All live on one device.
void update(Context& context, Call& call, std::span<TensorRep* const> variables);

// Moves the variable to the device; later updates run there. It keeps its identity.
void move_variable(Context& context, TensorRep& variable, LogicalDevice& to);

// The variable takes the bytes of `value`, which must be in the same memory, of its shape and dtype; it keeps its
// device and identity.
void take_value(Context& context, TensorRep& variable, const TensorRep& value);

// The variable's value as a tensor, which shares its memory until the variable is assigned. Logs ReadVariableOp.
void read_variable(Context& context, const TensorRep& variable, TensorRep* out);

}  // namespace lutra
