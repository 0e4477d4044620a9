package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
)

const (
	managedBy  = "app.kubernetes.io/managed-by"
	controller = "fleetwright.dev/controller"
)

// keys is the queue of a controller: what client-go has for it, with the backoff that controller-runtime takes.
type keys = workqueue.TypedRateLimitingInterface[string]

func newKeys() keys {
	return workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
}

// untilEnded is done when the benchmark ends this process.
func untilEnded() context.Context {
	ctx, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	return ctx
}

// work runs a controller: it waits for its caches, says so, and reconciles keys until it is ended.
func work(ctx context.Context, queue keys, workers int, synced []cache.InformerSynced, reconcile func(context.Context, string) error) {
	for _, one := range synced {
		for !one() {
			time.Sleep(time.Millisecond)
		}
	}
	answer(map[string]any{"ready": true})
	var group sync.WaitGroup
	for range workers {
		group.Add(1)
		go func() {
			defer group.Done()
			for {
				key, ended := queue.Get()
				if ended {
					return
				}
				if err := reconcile(ctx, key); err != nil {
					fmt.Fprintf(os.Stderr, "%s: %v\n", key, err)
					queue.AddRateLimited(key)
				} else {
					queue.Forget(key)
				}
				queue.Done(key)
			}
		}()
	}
	<-ctx.Done()
	queue.ShutDown()
	group.Wait()
}

// declarations follows one of our kinds.
func declarations(ctx context.Context, given options, plural string) (cache.SharedIndexInformer, error) {
	config, err := clientcmd.BuildConfigFromFlags("", given.kubeconfig)
	if err != nil {
		return nil, err
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	resource := schema.GroupVersionResource{Group: "fleetwright.dev", Version: "v1", Resource: plural}
	informer := factory.ForResource(resource).Informer()
	go informer.Run(ctx.Done())
	return informer, nil
}

// onAny calls a function with every object that comes, changes or goes.
func onAny(informer cache.SharedIndexInformer, call func(object any)) error {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    call,
		UpdateFunc: func(_, after any) { call(after) },
		DeleteFunc: func(object any) {
			if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = tombstone.Obj
			}
			call(object)
		},
	})
	return err
}
