// OpenBLAS has kernels for many processors. Up to 0.3.24 it takes those of 2004 (Prescott, SSE3) for an Intel processor
// that is newer than it is, and computes at a fifth of the speed (https://github.com/OpenMathLib/OpenBLAS/issues/4267).
#pragma once

namespace lutra::lapack {

// Makes OpenBLAS, opened as `handle`, choose the kernels of cpu_level() if it chose Prescott's. The environment variable
// OPENBLAS_CORETYPE is obeyed if it is set. Call it before anything is computed, by any thread of the process.
void choose_openblas_core(void* handle);

}  // namespace lutra::lapack
