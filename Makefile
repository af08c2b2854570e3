# Makefile: the front door. It only calls Meson and the scripts in tools/.
#
#   make          builds build/skein           make check    -Werror with gcc and clang, static checks
#   make run      builds and runs the server   make asan     the tests under ASan and UBSan
#   make test     every test there is          make tsan     what has threads under TSan
#   make quick    the tests of a plain build   make fuzz     FUZZ_SECONDS=60 of fuzzing in all
#   make format   formats the source           make soak     the tests that take long
#   make install  PREFIX=/usr/local DESTDIR=   make bench    measures; make cover shows coverage
#   make tour     a walk through the commands  make deb      Debian packages, in build/deb
#   make static   build/skein-static, without models and PostgreSQL
#   make screenshot   the picture of the README, made anew
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60

# With less optimization, and lines but no variables for a debugger: these builds are made to be tested once, and
# half of their time was the compiler's. The fuzz targets need no page.
sanitize = -Doptimization=1 -Db_lundef=false -Dc_args='-fno-sanitize-recover=all -g1' -Db_sanitize
options_asan  = $(sanitize)=address,undefined
options_tsan  = $(sanitize)=thread
options_fuzz  = $(sanitize)=address,undefined -Dfuzz=true -Dweb=disabled
options_cover = -Db_coverage=true
options_gcc   = --werror
options_clang = --werror
suites_tsan   = --suite threads
compiler_gcc   = CC=gcc
compiler_clang = CC=clang
compiler_fuzz  = CC=clang

.PHONY: all run tour screenshot test quick check asan tsan fuzz soak bench cover format install static deb clean

all: build/build.ninja
	ninja -C build
run: build/build.ninja
	ninja -C build skein
	build/skein serve
tour: all
	tools/tour.sh build/skein
screenshot: deps-test all
	SKEIN=build/skein SKEIN_TEST_SHOTS=build/shots SKEIN_TEST_ONLY='keys at 1280' web/tests/browser/run.sh web/tests/browser/tour.mjs sqlite
	cp build/shots/page.png docs/page.png
test:
	+tools/test-all.sh
quick: deps-test all
	tools/run-tests.sh -t 3 build
asan tsan: %: deps-test build-%/build.ninja
	SKEIN_PG_FAST=1 tools/run-tests.sh -t 8 $(suites_$@) build-$@
fuzz: deps-test build-fuzz/build.ninja
	ninja -C build-fuzz fuzzers
	tools/fuzz.sh build-fuzz $(FUZZ_SECONDS)
check: deps-check all build-gcc/build.ninja build-clang/build.ninja
	ninja -C build-gcc && ninja -C build-clang
	tools/check.sh build
soak: deps-test all
	tools/run-tests.sh -t 0 --suite soak build
bench: all
	build/skein bench
cover: deps-test build-cover/build.ninja
	ninja -C build-cover && tools/run-tests.sh -t 2 build-cover && tools/cover.sh build-cover
format:
	tools/check-format.sh --fix
	tools/web.sh format
static: deps-static build/build.ninja
	ninja -C build skein-static
deb: deps-deb build/build.ninja
	ninja -C build installed
	tools/deb.sh build
install: build/build.ninja
	meson configure build --prefix=$(PREFIX)
	ninja -C build installed
	meson install -C build --no-rebuild
clean:
	rm -rf build build-*

.PHONY: deps-build deps-static deps-deb deps-test deps-check
deps-build deps-static deps-deb deps-test deps-check: deps-%:
	tools/deps.sh $*
build/build.ninja: | deps-build
	meson setup build --buildtype=debugoptimized
build-%/build.ninja: | deps-build
	$(compiler_$*) meson setup build-$* --buildtype=debugoptimized $(options_$*)
