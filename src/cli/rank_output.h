// The output of a rank: lines of all ranks but the first begin with the rank's number, as in "[1] loss 0.5".
#pragma once

namespace lutra {

// Does nothing if no launcher started this process. Call it before anything is printed.
void set_up_rank_output();

}  // namespace lutra
