# The entry points. CMakePresets.json has the builds themselves.
.DEFAULT_GOAL := help
.PHONY: help packages dev-packages everything build demo test quick mpi torch grpc bench asan tsan clang debug lto tidy fuzz damage checks mutants format clean

JOBS := $(shell nproc)
# A terminal gets ninja's one-line progress; a log only what went wrong.
NINJA_FLAGS := -j$(JOBS) $(if $(MAKE_TERMOUT),,--quiet)
CTEST := ctest --output-on-failure --parallel $(JOBS)

# $(call configure_and_build,PRESET[,TARGET])
define configure_and_build
@cmake --preset $(1) >/dev/null
@cmake --build --preset $(1) $(if $(2),--target $(2)) -- $(NINJA_FLAGS)
endef

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

packages:
	@tools/install_packages.sh

dev-packages: packages
	@tools/install_packages.sh tools/packages-dev.txt

build: packages ## build/coterie, with what it needs installed first
	$(call configure_and_build,release,coterie)

everything: packages
	$(call configure_and_build,release)

demo: build ## four methods on rotated digits, and a table that compares them
	@build/coterie run examples/rotated-digits.toml --out runs/demo --force

test: everything ## all tests and checks
	@$(CTEST) --preset release

quick: packages ## the tests that take a second or two, for use while programming
	$(call configure_and_build,release,quick_tests)
	@$(CTEST) --preset release --label-regex quick

mpi: packages ## the add-on for simulations on several machines, with Open MPI installed first (docs/scaling.md)
torch: packages ## the add-on for neural networks, with libtorch (docs/networks.md)
grpc: packages ## the add-on for runs over a network: coterie serve, coterie join (docs/deploy.md)
mpi torch grpc:
	@tools/install_packages.sh tools/packages-$@.txt
	@cmake --preset release -DCOTERIE_$(shell echo $@ | tr a-z A-Z)=ON >/dev/null
	$(call configure_and_build,release,coterie add_on_$@)

bench: everything ## how fast it is, against references measured in the same run; BENCH_FLAGS=--quick for less
	@set -e; for program in $$(find build/bench -maxdepth 1 -type f -executable | sort); do $$program; done
	@tools/install_packages.sh tools/packages-bench.txt
	@bench/compare_peers.py build/coterie build/bench/bench_rounds $(BENCH_FLAGS)
	@bench/compare_networks.py build/coterie
	@bench/clustering.py build/bench/bench_clustering
	@bench/memory.py build/coterie

asan: packages ## the quick tests, with checks of addresses and of undefined behaviour
tsan: packages ## the quick tests, with checks of races between threads
debug: packages ## the quick tests, in a build for the debugger, without optimisation
lto: packages ## the quick tests, in a build whose linker looks for types that differ between files
clang: dev-packages ## the quick tests, built by Clang, each file by itself
asan tsan debug lto clang:
	$(call configure_and_build,$@,quick_tests)
	@$(CTEST) --preset $@ --label-regex quick

tidy: dev-packages ## clang-tidy over the engine and the program
	@cmake --preset tidy >/dev/null
	@run-clang-tidy -quiet -j $(JOBS) -p build/tidy '/unity_[0-9]*_cxx|/src/base/plugins'

FUZZ_SECONDS := 600
fuzz: dev-packages ## every decoder against made-up input, FUZZ_SECONDS=600 each; FUZZ_TARGETS="csv idx" for some
	$(call configure_and_build,fuzz)
	@tools/fuzz.py --seconds $(FUZZ_SECONDS) --jobs $(JOBS) $(FUZZ_TARGETS)

damage: build ## run folders with random damages: refused or harmless, never wrong; DAMAGE_FLAGS="--count 5000 --seed 2"
	@tools/damage.py build/coterie --jobs $(JOBS) $(DAMAGE_FLAGS)

checks: ## every build and check above, one after the other: about an hour on 2 cores
	@set -e; for one in test asan tsan clang debug lto tidy 'fuzz FUZZ_SECONDS=20'; do echo "== make $$one"; $(MAKE) --no-print-directory $$one; done

mutants: packages ## makes small mistakes in the engine and tells which of them no test notices (docs/testing.md)
	@tools/mutants.py $(MUTANTS_FLAGS)

format: packages ## lay out all sources with clang-format
	@tools/check_format.sh --fix

clean: ## remove all builds
	@rm -rf build
