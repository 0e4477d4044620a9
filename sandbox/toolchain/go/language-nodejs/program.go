package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// exitShown is the exit code with which @pulumi/pulumi says that the user has seen the error already.
const exitShown = 32

// Run runs a program to its end. What goes wrong with the program is a part of the answer, not an error of the call:
// the engine shows the former as it is and the latter as a fault of the host.
func (h *host) Run(call context.Context, req *pulumirpc.RunRequest) (*pulumirpc.RunResponse, error) {
	ctx, done := h.during(call)
	defer done()

	err := h.runProgram(ctx, req)
	var exit *exec.ExitError
	switch {
	case err == nil:
		return &pulumirpc.RunResponse{}, nil
	case ctx.Err() != nil:
		// The engine knows that it was cancelled and says so itself.
		return &pulumirpc.RunResponse{Bail: true}, nil
	case errors.As(err, &exit) && exit.ExitCode() == exitShown:
		return &pulumirpc.RunResponse{Bail: true}, nil
	default:
		return &pulumirpc.RunResponse{Error: err.Error()}, nil
	}
}

func (h *host) runProgram(ctx context.Context, req *pulumirpc.RunRequest) error {
	if req.GetAttachDebugger() {
		return errors.New("--attach-debugger is not supported by this language host\n" +
			"  Set `nodeargs: --inspect-brk` under `runtime.options` in Pulumi.yaml instead.")
	}
	opts, err := readOptions(req.GetInfo())
	if err != nil {
		return err
	}
	module := cmp.Or(os.Getenv("PULUMI_LANGUAGE_NODEJS_RUN_PATH"), "@pulumi/pulumi/cmd/run")
	found, err := h.findRuntime(ctx, module, req.GetInfo().GetProgramDirectory())
	if err != nil {
		return err
	}
	env, err := stackEnvironment(req.GetConfig(), req.GetConfigSecretKeys())
	if err != nil {
		return err
	}

	args := append(opts.nodeargs, found.script)
	cmd := h.command(ctx, found.node, append(args, h.programArguments(req)...)...)
	cmd.Env = append(append(os.Environ(), env...), opts.environment()...)
	memory := &memorySniffer{to: os.Stderr}
	// Node makes its output non-blocking. Given the files themselves, it would do so to the host's own output too.
	cmd.Stdout, cmd.Stderr = onlyWriter{os.Stdout}, memory

	if err := start(cmd); err != nil {
		return fmt.Errorf("%s could not be started: %w", found.node, err)
	}
	return explainExit("the program in "+req.GetInfo().GetProgramDirectory(), cmd.Wait(), memory)
}

// programArguments are the flags that @pulumi/pulumi/cmd/run reads, then the program and its own arguments.
func (h *host) programArguments(req *pulumirpc.RunRequest) []string {
	var args []string
	pass := func(flag, value string) {
		if value != "" {
			args = append(args, "--"+flag, value)
		}
	}
	info := req.GetInfo()
	pass("monitor", req.GetMonitorAddress())
	pass("engine", h.engine())
	pass("organization", req.GetOrganization())
	pass("project", req.GetProject())
	pass("stack", req.GetStack())
	pass("root-directory", info.GetRootDirectory())
	pass("pwd", info.GetProgramDirectory())
	pass("parallel", strconv.Itoa(int(req.GetParallel())))
	pass("tracing", h.tracing)
	if req.GetDryRun() {
		args = append(args, "--dry-run")
	}
	//nolint:staticcheck // Deprecated, but an old engine may still ask for it.
	if req.GetQueryMode() {
		args = append(args, "--query-mode")
	}
	// The SDK takes everything from the first word that is not a flag as the program and its arguments.
	args = append(args, cmp.Or(info.GetEntryPoint(), "."))
	return append(args, req.GetArgs()...)
}

// stackEnvironment is how @pulumi/pulumi receives the stack's configuration, and which of its keys are secret.
func stackEnvironment(config map[string]string, secretKeys []string) ([]string, error) {
	if config == nil {
		config = map[string]string{}
	}
	if secretKeys == nil {
		secretKeys = []string{}
	}
	values, err := json.Marshal(config)
	if err != nil {
		return nil, fmt.Errorf("the stack's configuration cannot be written as JSON: %w", err)
	}
	keys, err := json.Marshal(secretKeys)
	if err != nil {
		return nil, fmt.Errorf("the stack's secret configuration keys cannot be written as JSON: %w", err)
	}
	return []string{"PULUMI_CONFIG=" + string(values), "PULUMI_CONFIG_SECRET_KEYS=" + string(keys)}, nil
}
