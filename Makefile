# The commands that people type. Each stands on npm scripts and on programs in tools/; no logic lives here.
SHELL := /bin/bash
.DEFAULT_GOAL := build
.NOTPARALLEL:

# The version of the program and of its images. package.json is the one place that states it.
VERSION ?= v$(shell sed -n 's/^  "version": "\(.*\)",$$/\1/p' package.json)
# The architecture of build and push: amd64, arm, arm64, ppc64le or s390x.
ARCH ?= amd64
export VERSION

# Where vitest writes its counts, for .ci/run to sum up.
RESULTS := test-logs/results
# The older Kubernetes of test-skew: a folder of tools/control-plane.
SKEW := v1.34
REPORTERS = --reporter=default --reporter=json --outputFile=$(RESULTS)/$(1).json

.PHONY: help demo demo-real test test-all test-node24 test-conformance test-crashes test-skew test-images test-browser bench check control-plane control-plane-build build-program

.PHONY: build push push-all release print-version image-tools-where-possible
build: build-program image-tools-where-possible ## the images for ARCH (amd64), as OCI layouts in build/images
	image/build $(ARCH)

push: build ## build the image for ARCH and push it to REGISTRY
	image/push "$(REGISTRY)" $(ARCH)

push-all: build-program image-tools-where-possible ## all five, and REGISTRY/keelson:VERSION for all of them
	image/all "$(REGISTRY)"

release: ## set VERSION, build, try on a real control plane, commit, tag and push all to REGISTRY
	tools/release "$(if $(findstring command,$(origin VERSION)),$(VERSION))" "$(REGISTRY)"

print-version: ## the version of the images
	@echo $(VERSION)

# Without root or Debian (exit code 3) the scripts say themselves what they lack.
image-tools-where-possible:
	@tools/image-tools || [ $$? -eq 3 ]

help: ## what can be made
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-20s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: dist/keelson.js ## a tour of the daemon on the built-in API server: drift, a broken file, prune
	@bin/keelson demo

demo-real: build-program control-plane-build ## the tour on a real control plane, with kubectl
	tools/demo

test: build-program control-plane-where-possible check-format check-types check-layers check-dead-code tests ## everything that is fast: checks and all tests

test-all: test-node24 test-conformance test-crashes test-skew test-images test-monitoring test-browser ## what is slow: tests on the newest supported Node, 2,000 sequences on both API servers, 140 crashes, an older API server, images, monitoring, the dashboard in a browser

bench: build-program control-plane-build ## the measurements of bench/RESULTS.md
	npm run bench --if-present

check: node_modules/.package-lock.json ## format, lint, types, layers, dead code, unit tests
	npm run check

control-plane: node_modules/.package-lock.json control-plane-build ## a control plane for trying things, until ctrl-C
	@tools/control-plane/start

control-plane-build: ## build the control plane of the tests (6 to 8 minutes, once for a machine)
	@tools/control-plane/build

build-program: node_modules/.package-lock.json ## the bundle that bin/keelson runs
	npm run build

test-node24: build-program control-plane-where-possible ## unit and integration tests on Node 24
	@mkdir -p $(RESULTS)
	tools/node24 node_modules/vitest/vitest.mjs run --project unit --project integration $(call REPORTERS,node24)

test-crashes: build-program control-plane-where-possible ## SIGKILL between apply, journal and revision, twenty times at each point
	@mkdir -p $(RESULTS)
	KEELSON_CRASH_RUNS=20 npx vitest run --project faults test/faults/history.test.ts $(call REPORTERS,crashes)

# Three releases back. Without Go (exit code 3) the suites say that they are skipped.
test-skew: build-program control-plane-where-possible ## the addon controller on an older API server (built in 6 to 8 minutes, once)
	@mkdir -p $(RESULTS)
	@unset KUBEBUILDER_ASSETS; code=0; tools/control-plane/build $(SKEW) || code=$$?; \
	case $$code in \
	  0) export KUBEBUILDER_ASSETS=$$(tools/control-plane/build --where $(SKEW)) ;; \
	  3) ;; \
	  *) exit $$code ;; \
	esac; \
	npm run test:skew -- $(call REPORTERS,skew)

test-conformance: build-program control-plane-where-possible ## the built-in API server against the real one
	@mkdir -p $(RESULTS)
	npm run test:conformance -- $(call REPORTERS,conformance)

test-images: build-program control-plane-where-possible image-tools-where-possible ## build the images for all architectures, push, pull and run them
	@mkdir -p $(RESULTS)
	npm run test:images -- $(call REPORTERS,images)

test-monitoring: control-plane-where-possible monitoring-tools-where-possible ## promtool on the alert rules, a real Prometheus on a daemon
	@mkdir -p $(RESULTS)
	npm run test:monitoring -- $(call REPORTERS,monitoring)

# Without root or Debian (exit code 3) the suite says that it is skipped.
.PHONY: test-monitoring monitoring-tools-where-possible
monitoring-tools-where-possible:
	@tools/debian-packages monitoring promtool=prometheus prometheus=prometheus || [ $$? -eq 3 ]

test-browser: build-program control-plane-where-possible chromium-where-possible ## the dashboard in Chromium, on a real control plane
	@mkdir -p $(RESULTS)
	npm run test:browser -- $(call REPORTERS,browser)

# Without root or Debian (exit code 3) the suite says that it is skipped.
.PHONY: chromium-where-possible
chromium-where-possible:
	@tools/debian-packages browser chromium=chromium || [ $$? -eq 3 ]

# For those who wait for it: built only where a source is newer.
dist/keelson.js: node_modules/.package-lock.json tools/build.mjs package.json $(shell find src ui -name '*.ts' -o -name '*.tsx' -o -name '*.css' -o -name '*.html' -o -name '*.json')
	npm run build

# npm writes this file last, so it tells how old the installation is.
node_modules/.package-lock.json: package-lock.json
	npm ci
	@touch $@

# Without Go (exit code 3) the suites that need a control plane say that they are skipped, and fail where CI is true.
.PHONY: control-plane-where-possible
control-plane-where-possible:
	@tools/control-plane/build || [ $$? -eq 3 ]

# The parts of `npm run check` one by one, so that `make -k` tells of all that are broken. Its unit tests are in tests.
.PHONY: check-format check-types check-layers check-dead-code tests
check-format: node_modules/.package-lock.json
	npm run format
check-types: node_modules/.package-lock.json
	npm run types
check-layers: node_modules/.package-lock.json
	npm run layers
check-dead-code: node_modules/.package-lock.json
	npm run dead-code
tests: build-program control-plane-where-possible
	@mkdir -p $(RESULTS)
	npm test -- $(call REPORTERS,test)
