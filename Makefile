# A thin front of CMake: `make` builds build/carom. Every target first installs what it needs (tools/packages.sh).
PREFIX ?= /usr/local
DESTDIR ?=
CMAKE_OPTIONS ?=
CORE = -DWITH_YAML=OFF -DWITH_HDF5=OFF -DWITH_SQLITE=OFF -DWITH_PNG=OFF -DWITH_THREADS=OFF -DWITH_JIT=OFF -DWITH_PLUGINS=OFF -DWITH_MPI=OFF -DWITH_WEB=OFF
CTEST = ctest --output-on-failure --parallel 2 --test-dir

.PHONY: all demo test check-all kills failures leaks fuzz races memory coverage mutants bench attack study docs playground install format clean

all:
	@tools/packages.sh build
	@tools/build.sh build $(CMAKE_OPTIONS) -- carom carom_shared carom_manual

demo: all
	@tools/demo.sh build/carom demo

# Everything once, then all tests of the library and the command again under ASan and UBSan.
test:
	@tools/packages.sh test
	@tools/build.sh build $(CMAKE_OPTIONS)
	@tools/build.sh build-asan -DCMAKE_BUILD_TYPE=Sanitize $(CMAKE_OPTIONS)
	@$(CTEST) build-asan -LE tool
	@$(CTEST) build

# Also: the other compiler, the core with no optional library, threads or foreign code at all, and the browser.
check-all: test
	@tools/packages.sh all
	@tools/build.sh build-clang -DCMAKE_C_COMPILER=clang
	@$(CTEST) build-clang
	@tools/build.sh build-clang-asan -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Sanitize
	@$(CTEST) build-clang-asan -LE tool
	@tools/build.sh build-core $(CORE)
	@$(CTEST) build-core
	@tools/build.sh build-core-asan $(CORE) -DCMAKE_BUILD_TYPE=Sanitize
	@$(CTEST) build-core-asan -LE tool
	@tools/check-wasm.sh
	@$(MAKE) --no-print-directory playground
	@$(CTEST) build -R test_playground

# Jobs killed 100 times each in the middle of their writing; they go on and lose nothing.
kills: all
	@tools/build.sh build -- inject same_hdf5
	@nice tools/kills.sh build 100

# Every allocation, open, write, sync and rename of the commands fails once; half an hour.
failures: all
	@tools/build.sh build -- inject same_hdf5
	@nice tools/failures.sh build 0

# What is lost when one allocation after the other fails, under sanitizers.
leaks:
	@nice tools/leaks.sh build-leaks 100

# Ten minutes for every target of tests/fuzz; findings are kept in build-fuzz/found.
fuzz:
	@tools/packages.sh all
	@tools/fuzz.sh 600

# Threads under ThreadSanitizer; the core under valgrind; the lines that the tests run; wrong code that they should notice.
races:
	@nice tools/races.sh build-threads

memory:
	@tools/build.sh build $(CMAKE_OPTIONS)
	@nice tools/memory.sh build

coverage:
	@nice tools/coverage.sh build-coverage

mutants:
	@nice tools/mutate.sh build-mutants $(or $(MUTANTS),160) $$(find src/schemes src/solvers src/laws src/contact src/geometry -name "*.c" | sort)

# Random systems by every scheme, about an hour; a sample is among the tests (test_attack).
attack: all
	@tools/build.sh build -- bench-attack
	@build/bench/bench-attack $(or $(MEMBERS),300) $(or $(FIRST),0)

bench: all
	@tools/build.sh build -- benches
	@for program in build/bench/bench-*; do [ ! -x $$program ] || $$program || exit 1; done
	@tools/engines.sh build

# Figures and pages brought up to date (their commands are run), then HTML in build/docs.
docs: all
	@tools/packages.sh docs
	@tools/docs.sh build/carom build/docs

# One offline page with the command in it: a model is typed and run in the browser.
playground:
	@tools/packages.sh all
	@tools/playground.sh build-wasm build/playground.html

# Tables of errors on standard output, and docs/scheme-properties.md.
study: all
	@tools/build.sh build -- bench-properties bench-tolerance bench-geometry
	@tools/geometry.sh build
	@tools/study.sh build/carom build/bench/bench-properties
	@tools/orders.sh build/carom
	@tools/tolerance.sh build/bench/bench-tolerance
	@tools/exponents.sh build/carom

install: all
	@DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"

format:
	@tools/packages.sh format
	@clang-format -i $$(find include src tests examples bench -name "*.[ch]")

clean:
	@rm -rf build build-asan build-clang build-clang-asan build-core build-core-asan build-wasm build-fuzz build-leaks build-threads build-coverage build-mutants demo
