// How much memory this process may use: the machine's and the control groups' word.
#pragma once

#include <cstddef>

#include "core/control_groups.h"

namespace lutra {

// The smaller of RAM and the control group's limit, in bytes.
std::size_t usable_ram_bytes();

// The least memory limit of the process' control groups; SIZE_MAX when none says.
std::size_t control_group_limit(const ControlGroupFiles& files = {});

}  // namespace lutra
