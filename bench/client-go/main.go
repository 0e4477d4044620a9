// The reference of the benchmarks on client-go: a shared informer, the controllers of registries, labels and upgrades as
// one would write them by hand, and the writers that feed the API server. Writers are here because client-go with
// protobuf is the cheapest way for the server to take objects in.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

type options struct {
	kubeconfig                        string
	namespace                         string
	resource                          string
	content                           string
	out                               string
	etcd, authority, certificate, key string
	from, to, bytes                   int
	updates                           int
	workers                           int
	version                           string
	upgrade, uid                      string
}

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("the first word must be inform, fill, update, registries, labels or upgrade"))
	}
	var given options
	flags := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	flags.StringVar(&given.kubeconfig, "kubeconfig", "", "path of a kubeconfig")
	flags.StringVar(&given.namespace, "namespace", "", "namespace of the objects")
	flags.StringVar(&given.resource, "resource", "secrets", "inform: secrets or configmaps")
	flags.StringVar(&given.content, "content", "protobuf", "json or protobuf")
	flags.StringVar(&given.out, "out", "", "where events or writes are noted")
	flags.StringVar(&given.etcd, "etcd", "", "fill: address of etcd")
	flags.StringVar(&given.authority, "authority", "", "fill: certificate of etcd's authority")
	flags.StringVar(&given.certificate, "certificate", "", "fill: client certificate for etcd")
	flags.StringVar(&given.key, "key", "", "fill: its key")
	flags.IntVar(&given.bytes, "bytes", 1024, "fill, update: size of a Secret's data")
	flags.IntVar(&given.from, "from", 0, "fill: first number")
	flags.IntVar(&given.to, "to", 0, "fill, update: one past the last number")
	flags.IntVar(&given.updates, "updates", 0, "update: how many")
	flags.IntVar(&given.workers, "workers", 32, "all but inform: writers at once")
	flags.StringVar(&given.upgrade, "upgrade", "", "upgrade: the ClusterUpgrade that agents are ordered to carry out")
	flags.StringVar(&given.uid, "uid", "", "upgrade: its uid")
	flags.StringVar(&given.version, "version", "", "upgrade: what the nodes' kubelets say afterwards")
	fail(flags.Parse(os.Args[2:]))
	switch os.Args[1] {
	case "inform":
		fail(inform(given))
	case "fill":
		fail(fill(given))
	case "update":
		fail(update(context.Background(), given))
	case "registries":
		fail(spreadRegistries(given))
	case "labels":
		fail(labelNodes(given))
	case "upgrade":
		fail(upgradeNodes(given))
	default:
		fail(fmt.Errorf("%q is none of inform, fill, update, registries, labels, upgrade", os.Args[1]))
	}
}

// connect makes a client without limits of its own: the server is what is measured against.
func connect(given options) (*kubernetes.Clientset, error) {
	config, err := clientcmd.BuildConfigFromFlags("", given.kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	config.RateLimiter = nil
	switch given.content {
	case "protobuf":
		config.ContentConfig = rest.ContentConfig{
			ContentType:        "application/vnd.kubernetes.protobuf",
			AcceptContentTypes: "application/vnd.kubernetes.protobuf",
		}
	case "json":
		config.ContentConfig = rest.ContentConfig{ContentType: "application/json", AcceptContentTypes: "application/json"}
	default:
		return nil, fmt.Errorf("-content is %q: json or protobuf", given.content)
	}
	return kubernetes.NewForConfig(config)
}

func fail(err error) {
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
