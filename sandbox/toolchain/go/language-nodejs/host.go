package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/emptypb"
)

// engineCheckInterval is how often the host asks whether the engine still lives. Nobody else tells it: an engine that
// was killed cannot, and a program left alone would go on changing resources without anyone recording it.
const engineCheckInterval = time.Second

// host answers the calls of one engine. Calls that start processes tie them to both the call and the host.
type host struct {
	pulumirpc.UnimplementedLanguageRuntimeServer

	tracing string

	// alive ends with the host: on a signal, or when the engine is gone.
	alive context.Context
	stop  context.CancelFunc

	// running ends when the engine asks to cancel. The host itself stays, so that the engine can still take leave.
	running context.Context
	cancel  context.CancelFunc

	mu            sync.Mutex
	engineAddress string
}

func newHost(alive context.Context, stop context.CancelFunc, tracing string) *host {
	running, cancel := context.WithCancel(alive)
	return &host{tracing: tracing, alive: alive, stop: stop, running: running, cancel: cancel}
}

// follow remembers the engine and ends the host when that engine no longer answers. The address comes on the command
// line and again with the handshake; only a new one starts a new watch.
func (h *host) follow(engineAddress string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if engineAddress == h.engineAddress {
		return nil
	}
	if err := rpcutil.Healthcheck(h.alive, engineAddress, engineCheckInterval, h.stop); err != nil {
		return fmt.Errorf("the language host cannot reach the engine at %q: %w", engineAddress, err)
	}
	h.engineAddress = engineAddress
	return nil
}

// engine is the address that programs report their log messages to.
func (h *host) engine() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.engineAddress
}

// during gives a context that ends with the call, with the engine's wish to cancel, and with the host.
func (h *host) during(call context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(call)
	unhook := context.AfterFunc(h.running, cancel)
	return ctx, func() {
		unhook()
		cancel()
	}
}

// Handshake is the engine's greeting; a host that was started by hand learns the engine's address here.
func (h *host) Handshake(
	_ context.Context, req *pulumirpc.LanguageHandshakeRequest,
) (*pulumirpc.LanguageHandshakeResponse, error) {
	if err := h.follow(req.GetEngineAddress()); err != nil {
		return nil, err
	}
	return &pulumirpc.LanguageHandshakeResponse{}, nil
}

// GetPluginInfo tells the engine which version it talks to.
func (h *host) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{Version: version}, nil
}

// Cancel interrupts every program and plugin of this host; their calls then return.
func (h *host) Cancel(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	h.cancel()
	return &emptypb.Empty{}, nil
}
