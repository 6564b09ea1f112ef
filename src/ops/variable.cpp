// The ops that assign a variable: their result replaces its value (eager/variable.h).

#include "ops/create.h"
#include "ops/inference.h"

namespace lutra {
namespace {

void assigned_shape(Inference& inference) { inference.output_like(inference.attrs<CastAttrs>().dtype, 0); }

}  // namespace

void define_variable_ops(OpRegistry& ops) {
  ops.define({
      .name = "AssignVariableOp",
      .lua_name = "assign",
      .summary = "A variable's new value, in the variable's dtype and memory.",
      .inputs = {{"value", kEveryDType, "the variable's shape"}},
      .attrs = inner_attrs<CastAttrs>(),
      .shape = assigned_shape,
      .gpu = kAnyDType,
      .flags = kHidden,
  });
  struct Update {
    const char* name;
    const char* lua_name;
    const char* summary;
  };
  for (const Update& update : {Update{"AssignAddVariableOp", "assign_add", "A variable plus a value."},
                               Update{"AssignSubVariableOp", "assign_sub", "A variable minus a value."}}) {
    ops.define({
        .name = update.name,
        .lua_name = update.lua_name,
        .summary = update.summary,
        .inputs = {{"variable", kEveryNumber, "any shape"}, {"value", kEveryNumber, "the variable's shape", kNumber}},
        .shape = same_as_first,
        .gpu = kNumbers,
        .flags = kHidden,
    });
  }
}

}  // namespace lutra
