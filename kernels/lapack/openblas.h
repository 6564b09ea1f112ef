// How OpenBLAS is opened: on one thread, since loops around its calls use Lutra's threads, and with the kernels of this
// processor.
#pragma once

namespace lutra::lapack {

// dlopen's handle; null if `name` cannot be opened, which dlerror explains. Other libraries are opened as they are.
void* open_on_one_thread(const char* name);

}  // namespace lutra::lapack
