# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Short names for the usual CMake commands; the build itself is described in CMakeLists.txt.
BUILD ?= build
PREFIX ?= /usr/local
LLVM ?= 22
# Options for CMake, such as -DAGGLOM_LLVM_PREFIX=/opt/llvm
CMAKE_ARGS ?=
# BOOTSTRAP=no: install nothing, take what is there.
BOOTSTRAP ?= yes

bootstrap = $(if $(filter no,$(BOOTSTRAP)),true,AGGLOM_LLVM_VERSION=$(LLVM) sh scripts/bootstrap)
# A build folder made for another LLVM is configured anew.
configure = grep -qsx 'AGGLOM_LLVM_VERSION:STRING=$(LLVM)' $(1)/CMakeCache.txt && test -f $(1)/build.ninja \
  && test -z '$(CMAKE_ARGS)' || cmake -S . -B $(1) -G Ninja -DAGGLOM_LLVM_VERSION=$(LLVM)

help:
	@echo 'make demo                 install what is missing (Debian), build, run samples/md2d and show its report'
	@echo 'make check                the same, then all tests, the format check and clang-tidy'
	@echo 'make build                build everything; the compiler is then $(BUILD)/bin/agglomcc'
	@echo 'make install              install under PREFIX ($(PREFIX)); DESTDIR is respected'
	@echo 'make check-gpu            only the tests that need an NVIDIA GPU'
	@echo 'make check-runtime-asan   the unit tests under AddressSanitizer and UBSan'
	@echo 'make check-runtime-tsan   the unit tests under ThreadSanitizer'
	@echo 'make format               lay out the sources with clang-format'
	@echo 'make tidy                 clang-tidy alone'
	@echo 'make clean                remove the build folders'
	@echo 'Variables: BUILD=$(BUILD) PREFIX=$(PREFIX) LLVM=$(LLVM) CMAKE_ARGS=$(CMAKE_ARGS) BOOTSTRAP=$(BOOTSTRAP)'

demo:
	@$(bootstrap) demo
	@$(MAKE) --no-print-directory build TARGETS='agglomcc agglom-info'
	@sh samples/md2d/demo.sh $(BUILD)

check:
	@$(bootstrap) check
	@$(MAKE) --no-print-directory build
	@testsuite/run --build $(BUILD)

build:
	@$(call configure,$(BUILD)) $(CMAKE_ARGS)
	@cmake --build $(BUILD) $(if $(TARGETS),--target $(TARGETS))

check-gpu: build
	@testsuite/run --build $(BUILD) --only gpu

check-runtime-asan: SANITIZE = address,undefined
check-runtime-asan: SANITIZED = build-asan
check-runtime-tsan: SANITIZE = thread
check-runtime-tsan: SANITIZED = build-tsan
check-runtime-asan check-runtime-tsan:
	@$(call configure,$(SANITIZED)) -DCMAKE_BUILD_TYPE=Debug -DAGGLOM_BUILD_TOOL=OFF \
	  -DAGGLOM_SANITIZE=$(SANITIZE) -DCMAKE_C_COMPILER=/usr/lib/llvm-$(LLVM)/bin/clang $(CMAKE_ARGS)
	@cmake --build $(SANITIZED) --target unit-tests
	@testsuite/run --build $(SANITIZED) --only unit

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

format:
	@testsuite/run --build $(BUILD) --only format --mend

tidy: build
	@testsuite/run --build $(BUILD) --only tidy

clean:
	rm -rf $(BUILD) build-asan build-tsan

.PHONY: help demo check build check-gpu check-runtime-asan check-runtime-tsan install format tidy clean
