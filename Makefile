# The front door.  Meson and Ninja do the work; every target first installs what it needs, so that a fresh machine needs one command.
SAN     =
TIME    = 60
TARGET  =
PREFIX  = /usr/local
DESTDIR =

MAKEFLAGS += --no-print-directory
comma     := ,
BUILD     := build$(if $(SAN),-$(SAN))
SANITIZE  := $(if $(SAN),-Db_sanitize=$(if $(filter address,$(SAN)),address$(comma)undefined,$(SAN)) -Db_lundef=false)

.PHONY: all test demo lint fuzz bench install clean help

all:      ## build the libraries and programs; programs are build/bin/NAME
	@tools/setup build test
	@tools/build $(BUILD) product $(SANITIZE)

test:     ## run all tests; SAN=address, undefined or thread runs them under that sanitizer, TARGET=NAME only those
	@tools/setup build test
	@tools/build $(BUILD) product $(SANITIZE)
	@tools/run-tests $(BUILD) $(if $(SAN),--timeout-multiplier=4) $(TARGET)

demo:     ## a server, controllers and sample objects on one screen
	@echo 'demo: not there yet: it needs the embedded server, the client and the controllers' >&2; exit 1

lint:     ## formatting, warnings of two compilers, static analysis, layers, sizes, exported symbols
	@tools/setup build test lint bench
	@tools/lint

fuzz:     ## fuzz every parser for TIME=60 seconds each; TARGET=NAME only that one
	@tools/setup build test fuzz
	@tools/fuzz $(TIME) $(TARGET)

bench:    ## run the benchmarks; TARGET=NAME only that one
	@tools/setup build test bench
	@tools/bench $(TARGET)

install:  ## install below PREFIX=/usr/local, staged below DESTDIR= if given
	@tools/setup build test
	@tools/build build product
	@meson configure build --prefix '$(PREFIX)'
	@tools/build build product
	@meson install -C build --no-rebuild $(if $(DESTDIR),--destdir '$(abspath $(DESTDIR))')

clean:    ## remove everything that was built
	rm -rf build build-*

help:     ## this list
	@sed -n 's/^\([a-z]*\): *## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 18
