# The entry points. CMakePresets.json has the builds themselves.
.DEFAULT_GOAL := help
.PHONY: help packages build everything demo test bench asan tsan clang dev format clean

JOBS := $(shell nproc)
# A terminal gets ninja's one-line progress; a log only what went wrong.
NINJA_FLAGS := $(if $(MAKE_TERMOUT),,--quiet)
CTEST := ctest --output-on-failure --parallel $(JOBS)

define configure_and_build
@cmake --preset $(1) >/dev/null
@cmake --build --preset $(1) $(2) -- $(NINJA_FLAGS)
endef

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

packages:
	@tools/install_packages.sh

build: packages ## build/coterie, with what it needs installed first
	$(call configure_and_build,release,--target coterie)

everything: packages
	$(call configure_and_build,release)

demo: build ## four methods on rotated digits, and a table that compares them
	@build/coterie run examples/rotated-digits.toml --out runs/demo --force

test: everything ## all tests and checks
	@$(CTEST) --preset release

bench: everything ## how fast it is, against references measured in the same run; BENCH_FLAGS=--quick for less
	@set -e; for program in $$(find build/bench -maxdepth 1 -type f -executable | sort); do $$program; done
	@tools/install_packages.sh tools/packages-bench.txt
	@bench/compare_peers.py build/coterie build/bench/bench_rounds $(BENCH_FLAGS)
	@bench/clustering.py build/bench/bench_clustering
	@bench/memory.py build/coterie

asan: ## the tests, with checks of addresses and of undefined behaviour
tsan: ## the tests, with checks of races between threads
dev: ## the tests, in a build for the debugger
asan tsan dev: packages
	$(call configure_and_build,$@)
	@$(CTEST) --preset $@

clang: packages ## the tests, built by Clang
	@tools/install_packages.sh tools/packages-dev.txt
	$(call configure_and_build,clang)
	@$(CTEST) --preset clang

format: packages ## lay out all sources with clang-format
	@tools/check_format.sh --fix

clean: ## remove all builds
	@rm -rf build
