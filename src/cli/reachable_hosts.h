// Which hosts of a launch can still be reached, before its script is started again.
#pragma once

#include <string>

namespace lutra {

// Whether processes can be started on the host by what mpirun uses (OMPI_MCA_plm_rsh_agent, else ssh), which is tried
// for some seconds.
bool can_reach(const std::string& host);

}  // namespace lutra
