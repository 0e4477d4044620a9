// Command pulumi-resource-kubernetes is the official Pulumi Kubernetes provider, built from its published module.
//
// The provider's own main package embeds two files that its build generates and that are not published, so this one
// embeds the copies that our toolchain prepares from the module before it builds (see ../../build.ts).
package main

import (
	_ "embed"

	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/provider"
)

// version is set by the linker.
var version = "0.0.0"

//go:embed schema-embed.json
var schema []byte

//go:embed terraform-mapping-embed.json
var terraformMapping []byte

func main() {
	provider.Serve("kubernetes", version, schema, terraformMapping)
}
