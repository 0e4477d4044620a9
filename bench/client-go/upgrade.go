package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// As often as our controller looks: soon after an eviction, else as kubectl drain does.
const (
	look        = time.Second
	lookEvicted = 200 * time.Millisecond
)

const (
	cordonedBy = "fleetwright.dev/cordoned-by"
	order      = "fleetwright.dev/upgrade"
)

// upgradeNodes takes nodes through the same steps as our controller, so many at once: it records each step before it is
// taken, cordons and marks the node, drains it, orders its agent, waits for the version and for Ready, uncordons, records
// that it is done. Evictions that a budget forbids are asked for again.
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
	watched, err := watchNodes(ctx, client)
	if err != nil {
		return err
	}
	record, err := newRecord(ctx, client, given.upgrade)
	if err != nil {
		return err
	}
	answer(map[string]any{"ready": true})
	err = inParallel(given.workers, len(nodes.Items), func(index int, _ *rand.ChaCha8) error {
		name := nodes.Items[index].Name
		if err := record.write(ctx, name, "Draining"); err != nil {
			return err
		}
		if err := patchNode(ctx, client, name, marked(cordonedBy, given.uid, true)); err != nil {
			return err
		}
		if err := drain(ctx, client, name); err != nil {
			return err
		}
		if err := record.write(ctx, name, "Upgrading"); err != nil {
			return err
		}
		words, err := json.Marshal(map[string]string{"name": given.upgrade, "uid": given.uid, "what": "run"})
		if err != nil {
			return err
		}
		if err := patchNode(ctx, client, name, map[string]any{"metadata": annotations(order, string(words))}); err != nil {
			return err
		}
		if err := watched.until(ctx, name, func(node *corev1.Node) bool {
			return node.Status.NodeInfo.KubeletVersion == given.version && isReady(node)
		}); err != nil {
			return err
		}
		if err := patchNode(ctx, client, name, marked(cordonedBy, nil, nil)); err != nil {
			return err
		}
		return record.write(ctx, name, "")
	})
	if err != nil {
		return err
	}
	answer(map[string]any{"upgraded": len(nodes.Items)})
	return nil
}

func annotations(key string, value any) map[string]any {
	return map[string]any{"annotations": map[string]any{key: value}}
}

func marked(key string, value any, unschedulable any) map[string]any {
	return map[string]any{
		"metadata": annotations(key, value),
		"spec":     map[string]any{"unschedulable": unschedulable},
	}
}

func isReady(node *corev1.Node) bool {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

// nodeWatch tells who waits for a node of its changes, from a shared informer.
type nodeWatch struct {
	mutex   sync.Mutex
	changed *sync.Cond
	get     func(name string) *corev1.Node
}

func watchNodes(ctx context.Context, client *kubernetes.Clientset) (*nodeWatch, error) {
	factory := informers.NewSharedInformerFactory(client, 0)
	nodes := factory.Core().V1().Nodes()
	watch := &nodeWatch{get: func(name string) *corev1.Node {
		node, err := nodes.Lister().Get(name)
		if err != nil {
			return nil
		}
		return node
	}}
	watch.changed = sync.NewCond(&watch.mutex)
	tell := func() { watch.mutex.Lock(); watch.changed.Broadcast(); watch.mutex.Unlock() }
	_, err := nodes.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { tell() },
		UpdateFunc: func(any, any) { tell() },
		DeleteFunc: func(any) { tell() },
	})
	if err != nil {
		return nil, err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	context.AfterFunc(ctx, tell)
	return watch, nil
}

func (watch *nodeWatch) until(ctx context.Context, name string, holds func(*corev1.Node) bool) error {
	watch.mutex.Lock()
	defer watch.mutex.Unlock()
	for {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if node := watch.get(name); node != nil && holds(node) {
			return nil
		}
		watch.changed.Wait()
	}
}

// record is what a successor would go on from: the phase of every node in work, in one ConfigMap. Whoever writes takes
// along what others want to have written meanwhile, and nobody goes on before it is stored.
type record struct {
	client  *kubernetes.Clientset
	name    string
	mutex   sync.Mutex
	phases  map[string]any
	waiting []chan error
	writing bool
}

func newRecord(ctx context.Context, client *kubernetes.Clientset, name string) (*record, error) {
	_, err := client.CoreV1().ConfigMaps("default").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return nil, err
	}
	return &record{client: client, name: name, phases: map[string]any{}}, nil
}

func (record *record) write(ctx context.Context, node string, phase string) error {
	stored := make(chan error, 1)
	record.mutex.Lock()
	if record.phases[node] = phase; phase == "" {
		record.phases[node] = nil
	}
	record.waiting = append(record.waiting, stored)
	if !record.writing {
		record.writing = true
		go record.store(ctx)
	}
	record.mutex.Unlock()
	return <-stored
}

func (record *record) store(ctx context.Context) {
	for {
		record.mutex.Lock()
		phases, waiting := record.phases, record.waiting
		record.phases, record.waiting = map[string]any{}, nil
		if len(waiting) == 0 {
			record.writing = false
			record.mutex.Unlock()
			return
		}
		record.mutex.Unlock()
		patch, err := json.Marshal(map[string]any{"data": phases})
		if err == nil {
			_, err = record.client.CoreV1().ConfigMaps("default").Patch(ctx, record.name, types.MergePatchType, patch, metav1.PatchOptions{})
		}
		for _, one := range waiting {
			one <- err
		}
	}
}

func patchNode(ctx context.Context, client *kubernetes.Clientset, name string, body any) error {
	patch, err := json.Marshal(body)
	if err != nil {
		return err
	}
	_, err = client.CoreV1().Nodes().Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

func drain(ctx context.Context, client *kubernetes.Clientset, name string) error {
	none := int64(0)
	for {
		pods, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=" + name})
		if err != nil {
			return err
		}
		left, evicted := 0, 0
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
			if err == nil {
				evicted++
			}
		}
		if left == 0 {
			return nil
		}
		if evicted > 0 {
			time.Sleep(lookEvicted)
		} else {
			time.Sleep(look)
		}
	}
}

func stays(pod *corev1.Pod) bool {
	if _, mirror := pod.Annotations[corev1.MirrorPodAnnotationKey]; mirror {
		return true
	}
	owner := metav1.GetControllerOf(pod)
	return (owner != nil && owner.Kind == "DaemonSet") || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}
