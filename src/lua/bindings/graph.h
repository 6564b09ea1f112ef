// What other bindings tell lutra.graph.
#pragma once

#include "lua/border/args.h"

namespace lutra {

struct OpDef;

// LUTRA_GRAPH: whether fit replays its steps by itself when that is sure to be right (Auto), from its second step on
// (Always), or never; then lutra.graph(f) calls f.
enum class GraphMode : uint8_t { Auto, Always, Never };
GraphMode graph_mode();

// Call it before an optimiser's step is launched, while launches are observed: a replay asks for the step's numbers
// anew. `numbers`: the stack index of their table, whose metatable may have `repeated`.
void note_numbers(Args& args, const OpDef& op, int numbers);

}  // namespace lutra
