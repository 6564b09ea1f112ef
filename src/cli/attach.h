// `lutra attach PATH`: the prompt of a program that listens (lt.repl.listen), in this terminal. See docs/prompt.md.
#pragma once

#include "cli/options.h"

namespace lutra {

class Report;

// Returns the exit status: 1 if the host ended, or if an entry failed that came from a pipe or a file. Throws Error if
// there is no host.
int run_attach(const Options& options, const Report& report);

}  // namespace lutra
