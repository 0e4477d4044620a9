// pulumi-language-nodejs lets the Pulumi engine run programs, policy packs and plugins that are written for Node.
//
// It stands in for the official host of the same name where that one cannot be downloaded or built. It speaks the
// same protocol (LanguageRuntime in the public Pulumi SDK) and hands the program the same facts, so that neither the
// engine nor @pulumi/pulumi can tell the difference; what it leaves out (code generation, packing, linking, Bun) is
// answered with "unimplemented", which the engine knows how to report.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/util/cmdutil"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/logging"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
)

// version is the engine's version that this host was built for; the linker sets it (-X main.version=…).
var version = "0.0.0"

// shutdownGrace bounds how long calls under way may take to end after the host was asked to stop. It is longer than
// interruptGrace, so that a program which ignores an interrupt is killed in the regular way first.
const shutdownGrace = interruptGrace + 2*time.Second

func main() {
	tracing := flag.String("tracing", "", "send traces of the program to this Zipkin-compatible address")
	showVersion := flag.Bool("version", false, "print the version and exit")
	flag.Parse()
	if *showVersion {
		fmt.Println(version)
		return
	}
	logging.InitLogging(false, 0, false)
	cmdutil.InitTracing("pulumi-language-nodejs", "pulumi-language-nodejs", *tracing)

	err := serve(flag.Arg(0), *tracing)
	endProcessGroup()
	if err != nil {
		cmdutil.Exit(err)
	}
}

// serve answers the engine until a signal comes, the engine goes away, or the server fails.
func serve(engineAddress, tracing string) error {
	alive, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	host := newHost(alive, stop, tracing)
	if engineAddress != "" {
		if err := host.follow(engineAddress); err != nil {
			return err
		}
	}

	cancel := make(chan bool)
	context.AfterFunc(alive, func() { close(cancel) })
	handle, err := rpcutil.ServeWithOptions(rpcutil.ServeOptions{
		Cancel: cancel,
		Init: func(server *grpc.Server) error {
			pulumirpc.RegisterLanguageRuntimeServer(server, host)
			return nil
		},
		Options: rpcutil.TracingServerInterceptorOptions(nil),
	})
	if err != nil {
		return fmt.Errorf("the language host could not open a port on 127.0.0.1: %w", err)
	}

	// The engine reads the port from the first line; nothing may be printed before it.
	fmt.Printf("%d\n", handle.Port)

	select {
	case err := <-handle.Done:
		return err
	case <-alive.Done():
	}
	select {
	case err := <-handle.Done:
		return err
	case <-time.After(shutdownGrace):
		return nil
	}
}
