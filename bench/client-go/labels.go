package main

import (
	"context"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// labelNodes does what our controller of labels does to nodes, for labels of pools: one merge patch a node.
func labelNodes(given options) error {
	ctx := untilEnded()
	client, err := connect(given)
	if err != nil {
		return err
	}
	declared, err := declarations(ctx, given, "nodepoollabels")
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(dropManagedFields))
	nodes := factory.Core().V1().Nodes()
	queue := newKeys()
	if err := onAny(nodes.Informer(), func(object any) { queue.Add(object.(*corev1.Node).Name) }); err != nil {
		return err
	}
	lister := nodes.Lister()
	err = onAny(declared, func(any) {
		found, _ := lister.List(labels.Everything())
		for _, node := range found {
			queue.Add(node.Name)
		}
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	work(ctx, queue, given.workers, []cache.InformerSynced{declared.HasSynced, nodes.Informer().HasSynced},
		func(ctx context.Context, name string) error {
			node, err := lister.Get(name)
			if apierrors.IsNotFound(err) {
				return nil
			}
			if err != nil {
				return err
			}
			missing := missingOn(node, declared.GetStore().List())
			if len(missing) == 0 {
				return nil
			}
			patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": node.UID, "labels": missing}})
			if err != nil {
				return err
			}
			_, err = client.CoreV1().Nodes().Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
			return err
		})
	return nil
}

func missingOn(node *corev1.Node, declared []any) map[string]string {
	missing := map[string]string{}
	for _, object := range declared {
		spec, _, _ := unstructured.NestedStringMap(object.(*unstructured.Unstructured).Object, "spec")
		key := "nodepool.fleetwright.dev/" + spec["key"]
		if node.Labels["fleetwright.dev/node-pool"] == spec["pool"] && node.Labels[key] != spec["value"] {
			missing[key] = spec["value"]
		}
	}
	return missing
}
