// Command hub-apiserver is a Kubernetes API server for what can be placed into clusters: it stores Deployments, Services
// and any custom kind, and knows neither pods nor nodes, since nothing runs in it. It is upstream's generic control plane
// with the groups of workloads added, the controllers that such a server needs, and an etcd of its own unless it is given
// another one.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	genericapiserver "k8s.io/apiserver/pkg/server"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/rest"
	"k8s.io/component-base/cli"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/cli/globalflag"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	_ "k8s.io/component-base/metrics/prometheus/workqueue"
	"k8s.io/component-base/term"
	"k8s.io/component-base/version"
	"k8s.io/component-base/version/verflag"
	"k8s.io/klog/v2"
)

func main() {
	os.Exit(cli.Run(newCommand()))
}

func newCommand() *cobra.Command {
	o := newOptions()
	command := &cobra.Command{
		Use: "hub-apiserver",
		Long: `An API server for what can be placed into clusters, without pods and nodes. Without --etcd-servers it starts an etcd of its own,
which ends with it; its data is in --etcd-data-dir.`,
		SilenceUsage: true,
		Args:         cobra.NoArgs,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			// What it warns its users of would otherwise fill its own log.
			rest.SetDefaultWarningHandler(rest.NoWarnings{})
			return o.server.GenericServerRunOptions.ComponentGlobalsRegistry.Set()
		},
		RunE: func(*cobra.Command, []string) error {
			verflag.PrintAndExitIfRequested()
			if err := logsapi.ValidateAndApply(o.server.Logs, utilfeature.DefaultFeatureGate); err != nil {
				return err
			}
			return run(genericapiserver.SetupSignalContext(), o)
		},
	}
	var sets cliflag.NamedFlagSets
	o.addFlags(&sets)
	verflag.AddFlags(sets.FlagSet("global"))
	globalflag.AddGlobalFlags(sets.FlagSet("global"), command.Name(), logs.SkipLoggingConfigurationFlags())
	for _, set := range sets.FlagSets {
		command.Flags().AddFlagSet(set)
	}
	columns, _, _ := term.TerminalSize(command.OutOrStdout())
	cliflag.SetUsageAndHelpFunc(command, sets, columns)
	return command
}

// run serves until it gets a signal to end, or until the etcd that it started ends.
func run(ctx context.Context, o *hubOptions) error {
	klog.InfoS("Starting hub-apiserver", "version", version.Get().GitVersion)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if o.ownEtcd = len(o.server.Etcd.StorageConfig.Transport.ServerList) == 0; o.ownEtcd {
		store, err := startEtcd(o.etcd)
		if err != nil {
			return err
		}
		defer store.stop()
		if err := store.waitUntilHealthy(ctx); err != nil {
			return err
		}
		o.server.Etcd.StorageConfig.Transport.ServerList = []string{store.endpoint}
		go func() {
			<-store.ended
			cancel(fmt.Errorf("etcd ended: %w", store.err))
		}()
	}
	completed, err := o.server.Complete(ctx, []string{}, nil)
	if err != nil {
		return err
	}
	if errs := append(o.validate(), completed.Validate()...); len(errs) != 0 {
		return utilerrors.NewAggregate(errs)
	}
	server, err := newServer(completed, o)
	if err != nil {
		return err
	}
	prepared, err := server.PrepareRun()
	if err != nil {
		return err
	}
	if err := prepared.Run(ctx); err != nil {
		return err
	}
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}
