module fleetwright.dev/sandbox/toolchain/testdata/lost

go 1.21

require example.invalid/nowhere v1.0.0
