package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

const (
	home    = "fleetwright-system"
	account = "fleetwright"
)

// spreader does what our controllers of service accounts and registries do to namespaces, for basic registries.
type spreader struct {
	client     *kubernetes.Clientset
	registries cache.SharedIndexInformer
	namespaces listers.NamespaceLister
	accounts   listers.ServiceAccountLister
	secrets    listers.SecretLister
	logins     listers.SecretLister
}

func spreadRegistries(given options) error {
	ctx := untilEnded()
	client, err := connect(given)
	if err != nil {
		return err
	}
	registries, err := declarations(ctx, given, "registries")
	if err != nil {
		return err
	}
	selector := fmt.Sprintf("%s=fleetwright,%s=registries", managedBy, controller)
	all := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(dropManagedFields))
	own := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(dropManagedFields),
		informers.WithTweakListOptions(func(list *metav1.ListOptions) { list.LabelSelector = selector }))
	ours := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(dropManagedFields),
		informers.WithNamespace(home))
	namespaces, accounts := all.Core().V1().Namespaces(), all.Core().V1().ServiceAccounts()
	secrets, logins := own.Core().V1().Secrets(), ours.Core().V1().Secrets()
	one := spreader{client, registries, namespaces.Lister(), accounts.Lister(), secrets.Lister(), logins.Lister()}
	queue := newKeys()
	everywhere := func(any) {
		found, _ := one.namespaces.List(labels.Everything())
		for _, namespace := range found {
			queue.Add(namespace.Name)
		}
	}
	inNamespace := func(object any) {
		if found, err := meta.Accessor(object); err == nil {
			queue.Add(found.GetNamespace())
		}
	}
	for informer, call := range map[cache.SharedIndexInformer]func(any){
		registries:            everywhere,
		logins.Informer():     everywhere,
		accounts.Informer():   inNamespace,
		secrets.Informer():    inNamespace,
		namespaces.Informer(): func(object any) { queue.Add(object.(*corev1.Namespace).Name) },
	} {
		if err := onAny(informer, call); err != nil {
			return err
		}
	}
	for _, factory := range []informers.SharedInformerFactory{all, own, ours} {
		factory.Start(ctx.Done())
	}
	synced := []cache.InformerSynced{
		registries.HasSynced, namespaces.Informer().HasSynced, accounts.Informer().HasSynced,
		secrets.Informer().HasSynced, logins.Informer().HasSynced,
	}
	work(ctx, queue, given.workers, synced, one.reconcile)
	return nil
}

func (s *spreader) reconcile(ctx context.Context, name string) error {
	namespace, err := s.namespaces.Get(name)
	if apierrors.IsNotFound(err) || (err == nil && namespace.DeletionTimestamp != nil) {
		return nil
	}
	if err != nil {
		return err
	}
	found, err := s.accounts.ServiceAccounts(name).Get(account)
	if apierrors.IsNotFound(err) {
		found = &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: name, Name: account, Labels: ownLabels("service-accounts")}}
		found, err = s.client.CoreV1().ServiceAccounts(name).Create(ctx, found, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			return nil
		}
	}
	if err != nil {
		return err
	}
	var missing []corev1.LocalObjectReference
	for _, object := range s.registries.GetStore().List() {
		wanted := s.pullSecret(name, object.(*unstructured.Unstructured))
		if wanted == nil {
			continue
		}
		if err := s.keep(ctx, wanted); err != nil {
			return err
		}
		if !names(found.ImagePullSecrets, wanted.Name) {
			missing = append(missing, corev1.LocalObjectReference{Name: wanted.Name})
		}
	}
	if len(missing) == 0 {
		return nil
	}
	patch, err := json.Marshal(map[string]any{
		"metadata":         map[string]any{"uid": found.UID, "resourceVersion": found.ResourceVersion},
		"imagePullSecrets": append(append([]corev1.LocalObjectReference{}, found.ImagePullSecrets...), missing...),
	})
	if err != nil {
		return err
	}
	_, err = s.client.CoreV1().ServiceAccounts(name).Patch(ctx, account, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

func (s *spreader) keep(ctx context.Context, wanted *corev1.Secret) error {
	live, err := s.secrets.Secrets(wanted.Namespace).Get(wanted.Name)
	if apierrors.IsNotFound(err) {
		_, err = s.client.CoreV1().Secrets(wanted.Namespace).Create(ctx, wanted, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			return nil
		}
		return err
	}
	if err != nil || bytes.Equal(live.Data[corev1.DockerConfigJsonKey], wanted.Data[corev1.DockerConfigJsonKey]) {
		return err
	}
	changed := live.DeepCopy()
	changed.Data = wanted.Data
	_, err = s.client.CoreV1().Secrets(wanted.Namespace).Update(ctx, changed, metav1.UpdateOptions{})
	return err
}

func (s *spreader) pullSecret(namespace string, registry *unstructured.Unstructured) *corev1.Secret {
	endpoint, _, _ := unstructured.NestedString(registry.Object, "spec", "endpoint")
	login, _, _ := unstructured.NestedString(registry.Object, "spec", "credentials", "name")
	source, err := s.logins.Secrets(home).Get(login)
	if err != nil || registry.GetDeletionTimestamp() != nil {
		return nil
	}
	user, password := string(source.Data["username"]), string(source.Data["password"])
	entry := map[string]string{
		"username": user, "password": password, "auth": base64.StdEncoding.EncodeToString([]byte(user + ":" + password)),
	}
	// A map of strings cannot fail.
	config, _ := json.Marshal(map[string]any{"auths": map[string]any{endpoint: entry}})
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:   namespace,
			Name:        "fleetwright-registry-" + registry.GetName(),
			Labels:      ownLabels("registries"),
			Annotations: map[string]string{"fleetwright.dev/registry": registry.GetName()},
		},
		Type: corev1.SecretTypeDockerConfigJson,
		Data: map[string][]byte{corev1.DockerConfigJsonKey: config},
	}
}

func ownLabels(name string) map[string]string {
	return map[string]string{managedBy: "fleetwright", controller: name}
}

func names(entries []corev1.LocalObjectReference, name string) bool {
	for _, entry := range entries {
		if entry.Name == name {
			return true
		}
	}
	return false
}
