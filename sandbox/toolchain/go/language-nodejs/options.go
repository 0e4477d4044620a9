package main

import (
	"fmt"
	"strings"

	"github.com/google/shlex"
	"github.com/pulumi/pulumi/sdk/v3/nodejs/npm"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// options are what `runtime.options` of Pulumi.yaml, PulumiPolicy.yaml or PulumiPlugin.yaml may set for Node.
type options struct {
	typescript     bool
	tsconfig       string
	nodeargs       []string
	packagemanager npm.PackageManagerType
	production     bool
}

var packageManagers = []npm.PackageManagerType{
	npm.AutoPackageManager,
	npm.NpmPackageManager,
	npm.YarnPackageManager,
	npm.PnpmPackageManager,
	npm.BunPackageManager,
}

// readOptions reads the options of a program and names every bad one in a single error. Options that it does not know
// are left alone: a newer engine or SDK may know them.
func readOptions(info *pulumirpc.ProgramInfo) (options, error) {
	given := info.GetOptions().AsMap()
	read := options{typescript: true, packagemanager: npm.AutoPackageManager}
	var problems []string

	flag := func(key string, into *bool) {
		switch value := given[key].(type) {
		case nil:
		case bool:
			*into = value
		default:
			problems = append(problems, fmt.Sprintf("%s is %#v: write true or false", key, value))
		}
	}
	text := func(key string) string {
		switch value := given[key].(type) {
		case nil:
			return ""
		case string:
			return value
		default:
			problems = append(problems, fmt.Sprintf("%s is %#v: write a string", key, value))
			return ""
		}
	}

	flag("typescript", &read.typescript)
	flag("production", &read.production)
	read.tsconfig = text("tsconfig")

	line := text("nodeargs")
	words, err := shlex.Split(line)
	if err != nil {
		problems = append(problems, fmt.Sprintf("nodeargs is %q: close its quotes (%v)", line, err))
	}
	read.nodeargs = words

	if name := text("packagemanager"); name != "" {
		manager, known := packageManager(name)
		if !known {
			problems = append(problems, fmt.Sprintf("packagemanager is %q: write one of %v", name, packageManagers))
		}
		read.packagemanager = manager
	}

	if len(problems) > 0 {
		return options{}, fmt.Errorf("the runtime options in %s are not valid:\n  - %s",
			info.GetRootDirectory(), strings.Join(problems, "\n  - "))
	}
	return read, nil
}

func packageManager(name string) (npm.PackageManagerType, bool) {
	for _, manager := range packageManagers {
		if name == string(manager) {
			return manager, true
		}
	}
	return npm.AutoPackageManager, false
}

// environment is what @pulumi/pulumi reads from the environment to learn of these options.
func (o options) environment() []string {
	var env []string
	if o.typescript {
		env = append(env, "PULUMI_NODEJS_TYPESCRIPT=true")
	}
	if o.tsconfig != "" {
		env = append(env, "PULUMI_NODEJS_TSCONFIG_PATH="+o.tsconfig)
	}
	return env
}
