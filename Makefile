# Everything a newcomer types. Targets that build first look for what a build needs (.ci/requirements).
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help demo test lint format tsan soak mutants golden bench release clean

help:
	@echo 'make demo [ARGS=--once]  build, then tell refund stories with the real programs'
	@echo 'make test                contract, build and tests; the last line is the result'
	@echo 'make lint                the format of the sources, nothing is changed'
	@echo 'make format              mends it'
	@echo 'make tsan                the tests again under the thread sanitizer'
	@echo 'make soak                the long forms of the promises'"'"' tests, one after the other, each under 15 minutes'
	@echo 'make mutants [ONLY=…]    whether the tests of the promises see the faults of Tests/Mutations; long'
	@echo 'make golden              once per release: its golden log, Tests/Golden/<release>'
	@echo 'make bench [ARGS=…]      measures an optimised build beside what the machine can do: docs/benchmarks.md'
	@echo 'make release             optimised programs without a Swift runtime to install, in .build/release'
	@echo 'make clean               removes what was built'

demo:
	@.ci/requirements
	@swift build
	@.build/debug/refundlog demo $(ARGS)

test:
	@.ci/requirements
	@.ci/test $(TESTARGS)

lint:
	swift format lint --strict -r Sources Tests Package.swift

format:
	swift format -i -r Sources Tests Package.swift

tsan:
	@.ci/requirements
	@.ci/tsan

soak:
	@.ci/requirements
	@.ci/soak $(SUITES)

golden:
	@.ci/requirements
	@swift build --build-tests
	REFUNDLOG_GOLDEN=write swift test --skip-build --disable-xctest --filter '^EndToEndTests\.GoldenMaking'

mutants:
	@.ci/requirements
	@.ci/mutants $(ONLY)

bench:
	@.ci/requirements
	@.ci/bench $(ARGS)

release:
	@.ci/requirements
	swift build -c release --static-swift-stdlib

clean:
	rm -rf .build .build-tsan .build-mutants .build-soak
	@git worktree prune 2>/dev/null || true
