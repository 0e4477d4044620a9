package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/pulumi/pulumi/sdk/v3"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// RunPlugin runs a policy pack, or a provider written as components, until it ends or the engine lets go of it. The
// engine talks to the plugin itself; here it only sees the plugin's output, whose first line is the plugin's port.
func (h *host) RunPlugin(req *pulumirpc.RunPluginRequest, stream pulumirpc.LanguageRuntime_RunPluginServer) error {
	ctx, done := h.during(stream.Context())
	defer done()

	serial := &serialStream[pulumirpc.RunPluginResponse]{ServerStreamingServer: stream}
	closer, stdout, stderr, err := rpcutil.MakeRunPluginStreams(serial, false)
	if err != nil {
		return err
	}
	err = h.runPlugin(ctx, req, stdout, stderr)
	if ctx.Err() != nil {
		err = nil // The engine ended the plugin on purpose.
	}
	return errors.Join(err, closer.Close())
}

func (h *host) runPlugin(
	ctx context.Context, req *pulumirpc.RunPluginRequest, stdout, stderr io.Writer,
) error {
	if req.GetAttachDebugger() {
		return errors.New("--attach-debugger is not supported by this language host")
	}
	opts, err := readOptions(req.GetInfo())
	if err != nil {
		return err
	}
	dir := req.GetInfo().GetProgramDirectory()
	if req.GetKind() == string(apitype.AnalyzerPlugin) {
		found, err := h.findRuntime(ctx, "@pulumi/pulumi/cmd/run-policy-pack", dir)
		if err != nil {
			return err
		}
		return h.runPolicyPack(ctx, req, found, opts, stdout, stderr)
	}

	module := cmp.Or(os.Getenv("PULUMI_LANGUAGE_NODEJS_RUN_PATH"), "@pulumi/pulumi/cmd/run-plugin")
	found, err := h.findRuntime(ctx, module, dir)
	if err != nil {
		return err
	}
	args := append(opts.nodeargs, found.script, dir)
	cmd := h.command(ctx, found.node, append(args, req.GetArgs()...)...)
	cmd.Dir = req.GetPwd()
	cmd.Env = append(req.GetEnv(), opts.environment()...)
	memory := &memorySniffer{to: stderr}
	cmd.Stdout, cmd.Stderr = stdout, memory
	if err := start(cmd); err != nil {
		return fmt.Errorf("%s could not be started: %w", found.node, err)
	}
	return explainExit("the plugin in "+dir, cmd.Wait(), memory)
}

// runPolicyPack runs a pack behind a proxy. A pack reads the stack's name and configuration from its environment when
// it starts, but the engine tells them only to a plugin that runs already; the SDK's proxy is that plugin.
func (h *host) runPolicyPack(
	ctx context.Context, req *pulumirpc.RunPluginRequest, found nodeRuntime, opts options, stdout, stderr io.Writer,
) error {
	proxy, packOutput, err := sdk.NewPolicyProxy(ctx, stdout)
	if err != nil {
		return fmt.Errorf("the proxy of a policy pack could not be started: %w", err)
	}
	stack, err := proxy.AwaitConfiguration(ctx)
	if err != nil {
		return fmt.Errorf("the stack's configuration did not reach the policy pack: %w", err)
	}
	env, err := packEnvironment(stack)
	if err != nil {
		return err
	}

	dir := req.GetInfo().GetProgramDirectory()
	// The script takes the engine's address first and the pack last, the other way round than for other plugins.
	args := append(append(opts.nodeargs, found.script), req.GetArgs()...)
	cmd := h.command(ctx, found.node, append(args, dir)...)
	// Packs have always run in their own directory and not in the program's.
	cmd.Dir = dir
	cmd.Env = append(append(req.GetEnv(), opts.environment()...), env...)
	memory := &memorySniffer{to: stderr}
	cmd.Stdout, cmd.Stderr = packOutput, memory
	if err := start(cmd); err != nil {
		return fmt.Errorf("%s could not be started: %w", found.node, err)
	}
	return explainExit("the policy pack in "+dir, proxy.Attach(ctx, cmd), memory)
}

// packEnvironment tells a pack about the stack. There is none when the engine asks a pack only for its own description
// (`pulumi policy publish`).
func packEnvironment(stack *pulumirpc.AnalyzerStackConfigureRequest) ([]string, error) {
	if stack == nil {
		return nil, nil
	}
	env, err := stackEnvironment(stack.GetConfig(), stack.GetConfigSecretKeys())
	if err != nil {
		return nil, err
	}
	for _, fact := range [][2]string{
		{"ORGANIZATION", stack.GetOrganization()},
		{"PROJECT", stack.GetProject()},
		{"STACK", stack.GetStack()},
		{"DRY_RUN", strconv.FormatBool(stack.GetDryRun())},
	} {
		if fact[1] != "" {
			env = append(env, "PULUMI_NODEJS_"+fact[0]+"="+fact[1])
		}
	}
	return env, nil
}
