# How everything is compiled. The bits of a result are part of the interface: no -ffast-math, no contraction of
# a*b + c. The two -fno- options below change no result; they let sqrt be one instruction and loops be vectors.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "RelWithDebInfo, Debug or Sanitize" FORCE)
endif()
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")
set(CMAKE_C_FLAGS_SANITIZE "-O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all")
set(CMAKE_EXE_LINKER_FLAGS_SANITIZE "-fsanitize=address,undefined")
set(CMAKE_SHARED_LINKER_FLAGS_SANITIZE "-fsanitize=address,undefined")
option(WITH_WERROR "warnings are errors" ON)

add_library(carom_flags INTERFACE)
target_compile_definitions(carom_flags INTERFACE _GNU_SOURCE)
target_compile_options(carom_flags INTERFACE
    -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-semantic-interposition
    -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
    # No memset for loops of length one; no vector load of what scalars have just stored (it stalls small steps).
    $<$<C_COMPILER_ID:GNU>:-fno-tree-loop-distribute-patterns> $<$<C_COMPILER_ID:GNU>:-fno-tree-slp-vectorize>
    # Vectors of eight lanes are arguments of inlined functions only: how others would pass them does not matter.
    $<$<C_COMPILER_ID:GNU>:-Wno-psabi>
    # For browsers: lseek of wasi-libc is a statement expression; loops need not be vectors.
    $<$<PLATFORM_ID:WASI>:-Wno-gnu-statement-expression> $<$<PLATFORM_ID:WASI>:-Wno-pass-failed>
    $<$<PLATFORM_ID:WASI>:-Wno-unused-command-line-argument>
    $<$<BOOL:${WITH_WERROR}>:-Werror>)

# Targets for libFuzzer (clang): tools/fuzz.sh.
option(WITH_FUZZ "programs for libFuzzer instead of replays of their corpora" OFF)
if(WITH_FUZZ)
    target_compile_options(carom_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
