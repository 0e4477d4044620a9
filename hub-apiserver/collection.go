package main

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/restmapper"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/namespace"
)

const (
	collectorWorkers = 20
	// How soon the collector learns of a new kind.
	collectorSync = 30 * time.Second
)

// newNamespaceController makes what empties a namespace that is being deleted.
func newNamespaceController(ctx context.Context, clients clients, namespaces coreinformers.NamespaceInformer) (*namespace.NamespaceController, error) {
	config := clients.account("namespace-controller")
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	objects, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return namespace.NewNamespaceController(ctx, client, objects, client.Discovery().ServerPreferredNamespacedResources, namespaces, 5*time.Minute, corev1.FinalizerKubernetes), nil
}

// collector deletes what lost its owner.
type collector struct {
	*garbagecollector.GarbageCollector
	client  kubernetes.Interface
	started chan struct{}
}

func newCollector(ctx context.Context, clients clients) (*collector, error) {
	config := clients.account("generic-garbage-collector")
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	objects, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery()))
	started := make(chan struct{})
	made, err := garbagecollector.NewGarbageCollector(
		ctx, client, objects, mapper, garbagecollector.DefaultIgnoredResources(),
		metadataInformers{metadatainformer.NewSharedInformerFactory(objects, 0)}, started,
	)
	if err != nil {
		return nil, err
	}
	return &collector{GarbageCollector: made, client: client, started: started}, nil
}

func (c *collector) run(ctx context.Context) {
	close(c.started)
	go c.Sync(ctx, c.client.Discovery(), collectorSync)
	c.Run(ctx, collectorWorkers, collectorSync)
}

// metadataInformers keeps only the metadata of objects, of built-in kinds too: owners are all that the collector looks at.
type metadataInformers struct {
	metadatainformer.SharedInformerFactory
}

func (m metadataInformers) ForResource(resource schema.GroupVersionResource) (informers.GenericInformer, error) {
	return m.SharedInformerFactory.ForResource(resource), nil
}
