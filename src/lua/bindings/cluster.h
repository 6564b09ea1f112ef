#pragma once

#include "lua/border/args.h"

namespace lutra {

// connect_to_cluster(jobs[, options]), for lua/bindings/config.cpp.
int connect_to_cluster(Args& args);

}  // namespace lutra
