package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// As often as our controller looks, and as kubectl drain does.
const look = time.Second

// upgradeNodes takes nodes through cordon, drain, a new version and uncordon, as a loop of kubectl drain would: so many
// at once, evictions that a budget forbids are asked for again. What the agent does to a node it does itself.
func upgradeNodes(given options) error {
	client, err := connect(given)
	if err != nil {
		return err
	}
	ctx := untilEnded()
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	answer(map[string]any{"ready": true})
	err = inParallel(given.workers, len(nodes.Items), func(index int, _ *rand.ChaCha8) error {
		name := nodes.Items[index].Name
		if err := patchNode(ctx, client, name, map[string]any{"spec": map[string]any{"unschedulable": true}}); err != nil {
			return err
		}
		if err := drain(ctx, client, name); err != nil {
			return err
		}
		status := map[string]any{"status": map[string]any{"nodeInfo": map[string]any{"kubeletVersion": given.version}}}
		if err := patchNode(ctx, client, name, status, "status"); err != nil {
			return err
		}
		return patchNode(ctx, client, name, map[string]any{"spec": map[string]any{"unschedulable": nil}})
	})
	if err != nil {
		return err
	}
	answer(map[string]any{"upgraded": len(nodes.Items)})
	return nil
}

func patchNode(ctx context.Context, client *kubernetes.Clientset, name string, body any, subresource ...string) error {
	patch, err := json.Marshal(body)
	if err != nil {
		return err
	}
	_, err = client.CoreV1().Nodes().Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}, subresource...)
	return err
}

func drain(ctx context.Context, client *kubernetes.Clientset, name string) error {
	none := int64(0)
	for {
		pods, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=" + name})
		if err != nil {
			return err
		}
		left := 0
		for _, pod := range pods.Items {
			if stays(&pod) {
				continue
			}
			left++
			if pod.DeletionTimestamp != nil {
				continue
			}
			err := client.CoreV1().Pods(pod.Namespace).EvictV1(ctx, &policyv1.Eviction{
				ObjectMeta:    metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name},
				DeleteOptions: &metav1.DeleteOptions{GracePeriodSeconds: &none, Preconditions: &metav1.Preconditions{UID: &pod.UID}},
			})
			if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsTooManyRequests(err) && !apierrors.IsConflict(err) {
				return fmt.Errorf("evicting %s/%s: %w", pod.Namespace, pod.Name, err)
			}
		}
		if left == 0 {
			return nil
		}
		time.Sleep(look)
	}
}

func stays(pod *corev1.Pod) bool {
	if _, mirror := pod.Annotations[corev1.MirrorPodAnnotationKey]; mirror {
		return true
	}
	owner := metav1.GetControllerOf(pod)
	return (owner != nil && owner.Kind == "DaemonSet") || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}
