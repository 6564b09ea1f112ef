// The line of a script that is running: "train.lua", 7.
#pragma once

namespace lutra {

struct ScriptPosition {
  char file[64];  // empty: no script is running
  int line;
};

}  // namespace lutra
