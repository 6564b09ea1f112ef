// The name of this machine's processor, for files that are of use only where it computes.
#pragma once

#include <string>

namespace lutra {

// "AMD EPYC 9B14", as the system says; its architecture if it does not, as on ARM.
std::string cpu_model();

}  // namespace lutra
