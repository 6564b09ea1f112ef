// What bindings that wait for other processes share.
#pragma once

#include <string>

#include "eager/context.h"
#include "hosts/cluster.h"

namespace lutra {

// "train.lua:57", or "" where no script runs.
std::string script_line(const Context& context);
// The interrupts of the interpreter that the Context belongs to.
Interrupted interrupts_of(const Context& context);

}  // namespace lutra
