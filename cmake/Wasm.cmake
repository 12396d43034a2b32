# Toolchain file: the command for browsers (tools/wasm.sh). Debian: clang, lld, wasi-libc, libclang-rt-dev-wasm32.
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
# What WASI has no calls for: signals that never come, the clock of one process, files in memory.
set(emulated "signal process-clocks mman getpid")
string(REGEX REPLACE "([a-z-]+)" "-lwasi-emulated-\\1" CMAKE_EXE_LINKER_FLAGS_INIT "${emulated}")
string(APPEND CMAKE_EXE_LINKER_FLAGS_INIT " -Wl,-z,stack-size=4194304")
string(TOUPPER "${emulated}" emulated)
string(REPLACE "-" "_" emulated "${emulated}")
string(REGEX REPLACE "([A-Z_]+)" "-D_WASI_EMULATED_\\1" CMAKE_C_FLAGS_INIT "${emulated}")
