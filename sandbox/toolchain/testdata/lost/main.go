// Command lost needs a module that nobody can fetch.
package main

import _ "example.invalid/nowhere"

func main() {}
