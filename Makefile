# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Short names for the usual CMake commands; the build itself is described in CMakeLists.txt.
LLVM ?= 22
# One build folder for each LLVM: build, build-llvm19, ...
BUILD ?= build$(if $(filter-out 22,$(LLVM)),-llvm$(LLVM))
PREFIX ?= /usr/local
# Options for CMake, such as -DAGGLOM_LLVM_PREFIX=/opt/llvm
CMAKE_ARGS ?=
# How long `make fuzz` runs
FUZZ_SECONDS ?= 3600
# What `make check-builds` tests
BUILDS ?= g++-22 clang++-22 g++-19 clang++-19
# BOOTSTRAP=no: install nothing, take what is there.
BOOTSTRAP ?= yes

bootstrap = $(if $(filter no,$(BOOTSTRAP)),true,AGGLOM_LLVM_VERSION=$(LLVM) sh scripts/bootstrap)
# A configuration that fails leaves nothing for the next command to go on with, such as the compilers it had found.
configure = { cmake -S . -B $(1) -G Ninja -DAGGLOM_LLVM_VERSION=$(LLVM) $(CMAKE_ARGS) $(2) || \
  { test -f $(1)/build.ninja || rm -rf $(1)/CMakeCache.txt $(1)/CMakeFiles; exit 1; }; }

all: build

help:
	@echo 'make demo                 install what is missing (Debian), build, run samples/md2d and show its report'
	@echo 'make check                the same, then the tests, the format check, and clang-tidy on what differs from the main branch'
	@echo 'make check-fast           only the tests about files that differ from the last commit'
	@echo 'make check-all            everything that needs neither a GPU nor the network; hours'
	@echo 'make check-builds         the lit tests with the tool built by g++ and by clang++, with LLVM 22 and 19'
	@echo 'make build                build everything; the compiler is then $(BUILD)/bin/agglomcc'
	@echo 'make install              install under PREFIX ($(PREFIX)); DESTDIR is respected'
	@echo 'make check-gpu            only the tests that need an NVIDIA GPU'
	@echo 'make gpu-bundle           $(BUILD)/gpu-bundle: tests and benchmarks for a machine with a GPU and no compilers'
	@echo 'make bench-gpu            build that bundle and run it here'
	@echo 'make check-projects       build well-known projects with agglomcc and run their tests (needs the network)'
	@echo 'make check-options        compare option by option with clang and gcc (takes long)'
	@echo 'make bench-compile        compile times beside those of clang'
	@echo 'make check-runtime-asan   the unit tests under AddressSanitizer and UBSan'
	@echo 'make check-runtime-tsan   the unit tests under ThreadSanitizer'
	@echo 'make check-sanitizers     samples, language tests and examples of the manual under the sanitizers; long'
	@echo 'make check-published      samples at the sizes of papers; minutes'
	@echo 'make check-gpu-in-software  all programs of the tests on a GPU in software, SEEDS=$(SEEDS) random schedules; then with calls that fail, and that mistakes are found'
	@echo 'make stress               ten million units, ten thousand starts and stops of the runtime, ten million loops'
	@echo 'make bench-loops          loops on CPUs beside those of OpenMP'
	@echo 'make bench-short-loops    short ones, from 10 iterations on, beside those of OpenMP and without pragmas'
	@echo 'make bench-regions        what a parallel loop costs beyond its work, beside OpenMP'
	@echo 'make bench-graphs         graphs of tasks on CPUs, beside OpenMP'
	@echo 'make bench-units          what a unit costs, beside TBB, OpenMP and StarPU'
	@echo 'make bench-scale          what a unit costs as their number grows; SCALE=--long: to 10^6'
	@echo 'make fuzz                 fuzz the pragma parser for FUZZ_SECONDS ($(FUZZ_SECONDS)) seconds'
	@echo 'make format               lay out the sources with clang-format'
	@echo 'make tidy                 clang-tidy alone, on all files'
	@echo 'make clean                remove the build folders'
	@echo 'Variables: BUILD=$(BUILD) PREFIX=$(PREFIX) LLVM=$(LLVM) CMAKE_ARGS=$(CMAKE_ARGS) BOOTSTRAP=$(BOOTSTRAP)'

# The demo needs no test tools, so a build folder that it makes has no tests until something asks for them.
demo:
	@$(bootstrap) demo
	@test -f $(BUILD)/build.ninja || $(call configure,$(BUILD),-DAGGLOM_BUILD_TESTS=OFF)
	@cmake --build $(BUILD)
	@sh samples/md2d/demo.sh $(BUILD)

check:
	@$(bootstrap) check
	@$(MAKE) --no-print-directory build-with-tests
	@testsuite/run --build $(BUILD) --tidy new $(if $(LONG),--long)

# For the inner loop: what the change at hand touches.
check-fast:
	@$(MAKE) --no-print-directory build-with-tests
	@testsuite/run --build $(BUILD) --touched --tidy new

check-all: LONG = 1
check-all: check check-published tidy check-gpu-in-software check-builds check-runtime-asan check-runtime-tsan check-sanitizers check-options

# The samples at the sizes of papers.
check-published: build-with-tests
	@testsuite/run --build $(BUILD) --only lit --filter _published --published

# The programs of the lit tests on the GPU in software, under SEEDS random schedules; then with calls of the
# driver that fail; then kernels and runtimes with a mistake each, which must be found.
SEEDS ?= 20
check-gpu-in-software: build-with-tests
	@testsuite/gpu_in_software/run-programs $(BUILD) $(BUILD)/testsuite/software --seeds $(SEEDS)
	@testsuite/gpu_in_software/sweep-faults $(BUILD) $(BUILD)/testsuite/swept --step 20
	@testsuite/gpu_in_software/find-mutants $(BUILD) $(BUILD)/testsuite/mutants

build:
	@$(bootstrap) check
	@test -f $(BUILD)/build.ninja && test -z '$(CMAKE_ARGS)' || $(call configure,$(BUILD))
	@cmake --build $(BUILD)

build-with-tests:
	@$(call configure,$(BUILD),-DAGGLOM_BUILD_TESTS=ON)
	@cmake --build $(BUILD)

check-builds:
	@testsuite/builds $(BUILDS)

check-gpu: build-with-tests
	@testsuite/run --build $(BUILD) --only gpu

gpu-bundle: build
	@CC='$(CC)' testsuite/gpu/bundle $(BUILD) $(BUILD)/gpu-bundle

bench-gpu: gpu-bundle
	@$(BUILD)/gpu-bundle/run --results $(BUILD)/gpu-results.txt

check-projects: build
	@testsuite/projects/run --build $(BUILD)

check-options: build
	@testsuite/driver/option-walk --build $(BUILD) --host clang
	@testsuite/driver/option-walk --build $(BUILD) --host gcc

bench-compile: build
	@testsuite/bench/compile-time --build $(BUILD)

bench-loops: build
	@testsuite/bench/loops --build $(BUILD)

bench-short-loops: build
	@testsuite/bench/short-loops --build $(BUILD)

bench-regions: build
	@testsuite/bench/regions --build $(BUILD)

bench-graphs: build
	@testsuite/bench/graphs --build $(BUILD)

bench-units: build
	@testsuite/bench/unit-path --build $(BUILD)

bench-scale: build
	@testsuite/bench/scale --build $(BUILD) $(SCALE)

stress: build-with-tests
	@STRESS_UNITS=10000000 STRESS_CYCLES=10000 $(BUILD)/testsuite/unit/test_stress
	@STRESS_RUNS=10000000 $(BUILD)/testsuite/unit/test_loop_stress
	@STRESS_LOOPS=5000000 $(BUILD)/testsuite/unit/test_loop_deal
	@STRESS_SETTLES=100000 $(BUILD)/testsuite/unit/test_loop_kinds
	@STRESS_SWEEP=all $(BUILD)/testsuite/unit/test_fault_sweep

check-runtime-asan: SANITIZE = address,undefined
check-runtime-asan: SANITIZED = build-asan
check-runtime-tsan: SANITIZE = thread
check-runtime-tsan: SANITIZED = build-tsan
check-runtime-asan check-runtime-tsan:
	@$(call configure,$(SANITIZED),-DCMAKE_BUILD_TYPE=Debug -DAGGLOM_BUILD_TOOL=OFF \
	  -DAGGLOM_SANITIZE=$(SANITIZE) -DCMAKE_C_COMPILER=/usr/lib/llvm-$(LLVM)/bin/clang)
	@cmake --build $(SANITIZED) --target unit-tests
	@testsuite/run --build $(SANITIZED) --only unit $(if $(LONG),--long)

check-sanitizers: build
	@testsuite/check-sanitizers --build $(BUILD)

fuzz:
	@$(call configure,build-fuzz,-DAGGLOM_FUZZ=ON -DAGGLOM_BUILD_TESTS=OFF)
	@cmake --build build-fuzz --target fuzz-pragmas replay
	@testsuite/fuzz/run build-fuzz $(FUZZ_SECONDS)

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

format:
	@testsuite/run --build $(BUILD) --only format --mend

tidy: build-with-tests
	@testsuite/run --build $(BUILD) --only tidy

clean:
	rm -rf $(BUILD) build-asan build-tsan build-fuzz build-g++-22 build-clang++-22 build-g++-19 build-clang++-19

.PHONY: all help demo check-published check-gpu-in-software check check-fast check-all check-builds build build-with-tests check-gpu gpu-bundle bench-gpu bench-compile check-projects check-options stress bench-loops bench-short-loops bench-regions bench-graphs bench-units bench-scale check-runtime-asan check-runtime-tsan check-sanitizers fuzz install format tidy clean
