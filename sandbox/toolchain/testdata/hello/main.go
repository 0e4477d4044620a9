// Command hello is what the toolchain's tests build: small, but built by the real Go.
package main

import "fmt"

var version = "0.0.0"

func main() { fmt.Println("hello version v" + version) }
