package main

import (
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/informers"
	corev1listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/kubernetes/pkg/serviceaccount"
)

// boundObjects finds what a service account's token may be bound to. A token that names a pod or a node is of another
// cluster: here there is none.
type boundObjects struct {
	secrets  corev1listers.SecretLister
	accounts corev1listers.ServiceAccountLister
}

func accountsWithoutPods(factory informers.SharedInformerFactory) serviceaccount.ServiceAccountTokenGetter {
	core := factory.Core().V1()
	return boundObjects{secrets: core.Secrets().Lister(), accounts: core.ServiceAccounts().Lister()}
}

func (b boundObjects) GetServiceAccount(namespace, name string) (*corev1.ServiceAccount, error) {
	return b.accounts.ServiceAccounts(namespace).Get(name)
}

func (b boundObjects) GetSecret(namespace, name string) (*corev1.Secret, error) {
	return b.secrets.Secrets(namespace).Get(name)
}

func (b boundObjects) GetPod(_, name string) (*corev1.Pod, error) {
	return nil, apierrors.NewNotFound(corev1.Resource("pods"), name)
}

func (b boundObjects) GetNode(name string) (*corev1.Node, error) {
	return nil, apierrors.NewNotFound(corev1.Resource("nodes"), name)
}
