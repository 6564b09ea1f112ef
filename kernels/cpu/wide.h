// Compiles a function for several widths of vector registers; the machine's is picked when the program starts. Results
// do not depend on the width: none of these functions sums across lanes, and multiplications and additions stay
// separate.
#pragma once

// The sanitizers' start-up comes after the choice, so with them there is one version.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define LUTRA_WIDE [[gnu::target_clones("avx512f", "avx2", "default")]]
#else
#define LUTRA_WIDE
#endif
