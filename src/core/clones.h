/* clones.h: one function compiled for each kind of processor and chosen when the program starts. Without contraction
 * (-ffp-contract is off everywhere) all of them have the same bits. */
#ifndef CAROM_CLONES_H
#define CAROM_CLONES_H

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__) &&                       \
    defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CAROM_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#define CAROM_AVX512 __attribute__((target("avx512f"))) /* a function of its own for these processors */
#define CAROM_HAS_AVX512 (__builtin_cpu_supports("avx512f") != 0)
#else
#define CAROM_CLONES
#define CAROM_AVX512
#define CAROM_HAS_AVX512 false
#endif

#endif
