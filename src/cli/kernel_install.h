// `lutra kernel install`: tells Jupyter about lutra-kernel (src/notebook). See docs/notebook.md.
#pragma once

#include <string>

namespace lutra {

// Writes the kernel's description below PREFIX/share/jupyter, or below the user's own folder if `prefix` is empty.
// Returns what to print. Throws Error: this build has no lutra-kernel, or the folder cannot be written.
std::string install_kernel(const std::string& prefix);

}  // namespace lutra
