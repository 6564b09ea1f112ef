// What bindings that wait for other processes share.
#pragma once

#include <string>

#include "distribute/over_ranks.h"
#include "lua/border/args.h"

namespace lutra {

// "train.lua:57", or "" where no script runs.
std::string script_line(const Context& context);
// The interrupts of the interpreter that the Context belongs to.
Interrupted interrupts_of(const Context& context);
// The replicas of all ranks (over_ranks.h), from these arguments: a list of the first replica of each rank and the
// number of all, what, equal, seconds, and perhaps a list of owners.
RankReplicas read_ranks(Args& args, int first);

// Adds to the table on top of the stack the functions for sums that begin early.
void open_early_sums(lua_State* L, State& state);

}  // namespace lutra
