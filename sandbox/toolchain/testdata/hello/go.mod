module fleetwright.dev/sandbox/toolchain/testdata/hello

go 1.21
