package main

import (
	"net"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/registry/generic"
	genericapiserver "k8s.io/apiserver/pkg/server"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	"k8s.io/client-go/discovery"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/authentication/install"
	_ "k8s.io/kubernetes/pkg/apis/authorization/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	controlplane "k8s.io/kubernetes/pkg/controlplane/apiserver"
	kubeoptions "k8s.io/kubernetes/pkg/kubeapiserver/options"
	kubeletclient "k8s.io/kubernetes/pkg/kubelet/client"
	appsrest "k8s.io/kubernetes/pkg/registry/apps/rest"
	autoscalingrest "k8s.io/kubernetes/pkg/registry/autoscaling/rest"
	batchrest "k8s.io/kubernetes/pkg/registry/batch/rest"
	corerest "k8s.io/kubernetes/pkg/registry/core/rest"
	networkingrest "k8s.io/kubernetes/pkg/registry/networking/rest"
	policyrest "k8s.io/kubernetes/pkg/registry/policy/rest"
)

// What is served of the group core. Pods, nodes and what belongs to them would be accepted and then run by nobody.
var coreKinds = sets.New(
	"configmaps",
	"events",
	"limitranges",
	"namespaces", "namespaces/finalize", "namespaces/status",
	"persistentvolumeclaims", "persistentvolumeclaims/status",
	"persistentvolumes", "persistentvolumes/status",
	"resourcequotas", "resourcequotas/status",
	"secrets",
	"serviceaccounts", "serviceaccounts/token",
	"services", "services/status",
)

func resourceConfig() *serverstorage.ResourceConfig {
	config := serverstorage.NewResourceConfig()
	config.EnableVersions(
		admissionregistrationv1.SchemeGroupVersion,
		appsv1.SchemeGroupVersion,
		authenticationv1.SchemeGroupVersion,
		authorizationv1.SchemeGroupVersion,
		autoscalingv1.SchemeGroupVersion,
		autoscalingv2.SchemeGroupVersion,
		batchv1.SchemeGroupVersion,
		certificatesv1.SchemeGroupVersion,
		coordinationv1.SchemeGroupVersion,
		corev1.SchemeGroupVersion,
		eventsv1.SchemeGroupVersion,
		flowcontrolv1.SchemeGroupVersion,
		networkingv1.SchemeGroupVersion,
		policyv1.SchemeGroupVersion,
		rbacv1.SchemeGroupVersion,
	)
	return config
}

// groupPriorities puts the groups of workloads where kube-apiserver has them in discovery.
func groupPriorities() map[schema.GroupVersion]controlplane.APIServicePriority {
	priorities := controlplane.DefaultGenericAPIServicePriorities()
	priorities[appsv1.SchemeGroupVersion] = controlplane.APIServicePriority{Group: 17800, Version: 15}
	priorities[autoscalingv1.SchemeGroupVersion] = controlplane.APIServicePriority{Group: 17500, Version: 15}
	priorities[autoscalingv2.SchemeGroupVersion] = controlplane.APIServicePriority{Group: 17500, Version: 30}
	priorities[batchv1.SchemeGroupVersion] = controlplane.APIServicePriority{Group: 17400, Version: 15}
	priorities[networkingv1.SchemeGroupVersion] = controlplane.APIServicePriority{Group: 17200, Version: 15}
	priorities[policyv1.SchemeGroupVersion] = controlplane.APIServicePriority{Group: 17100, Version: 15}
	return priorities
}

// storageProviders are those of the generic control plane, with more of core, and the groups of workloads.
func storageProviders(config *controlplane.CompletedConfig, serviceIPs net.IPNet, discovery discovery.DiscoveryInterface) ([]controlplane.RESTStorageProvider, error) {
	providers, err := config.GenericStorageProviders(discovery)
	if err != nil {
		return nil, err
	}
	core, err := corerest.New(corerest.Config{
		GenericConfig: *config.NewCoreGenericConfig(),
		// For nodes, which are not served, but the constructor insists.
		Proxy: corerest.ProxyConfig{Transport: config.ProxyTransport, KubeletClientConfig: kubeletclient.KubeletClientConfig{Port: 10250}},
		Services: corerest.ServicesConfig{
			ClusterIPRange:   serviceIPs,
			NodePortRange:    kubeoptions.DefaultServiceNodePortRange,
			IPRepairInterval: serviceRepairInterval,
		},
	}, config.Generic.Authorization.Authorizer)
	if err != nil {
		return nil, err
	}
	for i, provider := range providers {
		if provider.GroupName() == corev1.GroupName {
			providers[i] = placeableCore{core}
		}
	}
	return append(
		providers,
		appsrest.StorageProvider{},
		autoscalingrest.RESTStorageProvider{},
		batchrest.RESTStorageProvider{},
		networkingrest.RESTStorageProvider{},
		policyrest.RESTStorageProvider{},
	), nil
}

type coreProvider interface {
	controlplane.RESTStorageProvider
	genericapiserver.PostStartHookProvider
}

// placeableCore is kube-apiserver's group core without what is not in coreKinds.
type placeableCore struct{ coreProvider }

func (p placeableCore) NewRESTStorage(resources serverstorage.APIResourceConfigSource, getter generic.RESTOptionsGetter) (genericapiserver.APIGroupInfo, error) {
	info, err := p.coreProvider.NewRESTStorage(resources, getter)
	if err != nil {
		return info, err
	}
	for _, storage := range info.VersionedResourcesStorageMap {
		for resource := range storage {
			if !coreKinds.Has(resource) {
				delete(storage, resource)
			}
		}
	}
	return info, nil
}
