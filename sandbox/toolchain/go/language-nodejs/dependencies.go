package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	"github.com/pulumi/pulumi/sdk/v3/nodejs/npm"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// InstallDependencies runs the program's package manager, in the root of its workspace if it is a part of one.
func (h *host) InstallDependencies(
	req *pulumirpc.InstallDependenciesRequest, stream pulumirpc.LanguageRuntime_InstallDependenciesServer,
) error {
	ctx, done := h.during(stream.Context())
	defer done()

	serial := &serialStream[pulumirpc.InstallDependenciesResponse]{ServerStreamingServer: stream}
	closer, stdout, stderr, err := rpcutil.MakeInstallDependenciesStreams(serial, req.GetIsTerminal())
	if err != nil {
		return err
	}
	install := func() error {
		opts, err := readOptions(req.GetInfo())
		if err != nil {
			return err
		}
		dir := req.GetInfo().GetProgramDirectory()
		root, err := npm.FindWorkspaceRoot(dir)
		if errors.Is(err, npm.ErrNotInWorkspace) {
			root = dir
		} else if err != nil {
			return fmt.Errorf("the workspace that %s belongs to was not found: %w", dir, err)
		}
		fmt.Fprintf(stdout, "Installing dependencies in %s\n\n", root)
		used, err := npm.Install(ctx, opts.packagemanager, root, opts.production, stdout, stderr)
		if err != nil {
			return fmt.Errorf("the dependencies of %s could not be installed: %w", root, err)
		}
		fmt.Fprintf(stdout, "Finished installing dependencies with %s\n\n", used)
		return nil
	}
	return errors.Join(install(), closer.Close())
}

// GetProgramDependencies lists the program's packages and their versions from the lock file.
func (h *host) GetProgramDependencies(
	call context.Context, req *pulumirpc.GetProgramDependenciesRequest,
) (*pulumirpc.GetProgramDependenciesResponse, error) {
	ctx, done := h.during(call)
	defer done()

	dir := req.GetInfo().GetProgramDirectory()
	manager, err := resolveManager(req.GetInfo())
	if err != nil {
		return nil, err
	}
	packages, err := manager.ListPackages(ctx, dir, req.GetTransitiveDependencies())
	if err != nil {
		return nil, fmt.Errorf("the dependencies of %s could not be listed by %s: %w", dir, manager.Name(), err)
	}
	response := &pulumirpc.GetProgramDependenciesResponse{}
	for _, pkg := range packages {
		response.Dependencies = append(response.Dependencies,
			&pulumirpc.DependencyInfo{Name: pkg.Name, Version: pkg.Version})
	}
	return response, nil
}

// About describes the runtime for `pulumi about`. A version that cannot be had is left out: this command is what
// people run when something is broken.
func (h *host) About(call context.Context, req *pulumirpc.AboutRequest) (*pulumirpc.AboutResponse, error) {
	ctx, done := h.during(call)
	defer done()

	node, err := exec.LookPath("node")
	if err != nil {
		return nil, fmt.Errorf("node was not found in PATH: %w", err)
	}
	ask := func(args ...string) string {
		cmd := exec.CommandContext(ctx, node, args...)
		cmd.Dir = req.GetInfo().GetProgramDirectory()
		answer, err := cmd.Output()
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(answer))
	}

	metadata := map[string]string{}
	if manager, err := resolveManager(req.GetInfo()); err == nil {
		metadata["packagemanager"] = manager.Name()
		if number, err := manager.Version(); err == nil {
			metadata["packagemanagerVersion"] = number.String()
		}
	}
	if number := ask("-p", "require('typescript/package.json').version"); number != "" {
		metadata["typescriptVersion"] = number
	}
	return &pulumirpc.AboutResponse{Executable: node, Version: ask("--version"), Metadata: metadata}, nil
}

// RuntimeOptionsPrompts lets `pulumi new` ask for a package manager where the template does not choose one.
func (h *host) RuntimeOptionsPrompts(
	_ context.Context, req *pulumirpc.RuntimeOptionsRequest,
) (*pulumirpc.RuntimeOptionsResponse, error) {
	response := &pulumirpc.RuntimeOptionsResponse{}
	if _, chosen := req.GetInfo().GetOptions().AsMap()["packagemanager"]; chosen {
		return response, nil
	}
	response.Prompts = append(response.Prompts, &pulumirpc.RuntimeOptionPrompt{
		Key:         "packagemanager",
		Description: "The package manager that installs the program's dependencies",
		PromptType:  pulumirpc.RuntimeOptionPrompt_STRING,
		Choices:     plugin.MakeExecutablePromptChoices("npm", "pnpm", "yarn", "bun"),
		Default: &pulumirpc.RuntimeOptionPrompt_RuntimeOptionValue{
			PromptType:  pulumirpc.RuntimeOptionPrompt_STRING,
			StringValue: "npm",
		},
	})
	return response, nil
}

func resolveManager(info *pulumirpc.ProgramInfo) (npm.PackageManager, error) {
	opts, err := readOptions(info)
	if err != nil {
		return nil, err
	}
	manager, err := npm.ResolvePackageManager(opts.packagemanager, info.GetProgramDirectory())
	if err != nil {
		return nil, fmt.Errorf("no package manager for %s: %w", info.GetProgramDirectory(), err)
	}
	return manager, nil
}
