package main

import (
	"fmt"
	"net"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/filters"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/util/notfoundhandler"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/kubernetes"
	aggregator "k8s.io/kube-aggregator/pkg/apiserver"
	aggregatorscheme "k8s.io/kube-aggregator/pkg/apiserver/scheme"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	controlplane "k8s.io/kubernetes/pkg/controlplane/apiserver"
	"k8s.io/kubernetes/pkg/controlplane/apiserver/options"
	"k8s.io/kubernetes/pkg/controlplane/controller/defaultservicecidr"
	"k8s.io/kubernetes/pkg/generated/openapi"
)

// How often the addresses and ports of Services are compared with those that are recorded as taken.
const serviceRepairInterval = 3 * time.Minute

// One replica asks the others for a definition that it does not know yet.
const replicasAtMost = 3

// newServer joins the three servers that make one: custom kinds behind built-in kinds behind the aggregator.
func newServer(opts options.CompletedOptions, hub *hubOptions) (*aggregator.APIAggregator, error) {
	generic, informers, storage, err := controlplane.BuildGenericConfig(
		opts,
		[]*runtime.Scheme{legacyscheme.Scheme, apiextensions.Scheme, aggregatorscheme.Scheme},
		resourceConfig(),
		openapi.GetOpenAPIDefinitions,
	)
	if err != nil {
		return nil, err
	}
	services := webhook.NewDefaultServiceResolver()
	config, initializers, err := controlplane.CreateConfig(opts, generic, informers, storage, services, nil)
	if err != nil {
		return nil, err
	}
	authentication := webhook.NewDefaultAuthenticationInfoResolverWrapper(config.ProxyTransport, generic.EgressSelector, generic.LoopbackClientConfig, generic.TracerProvider)
	extensionsConfig, err := controlplane.CreateAPIExtensionsConfig(*config.Generic, informers, initializers, opts, replicasAtMost, services, authentication)
	if err != nil {
		return nil, err
	}
	aggregatorConfig, err := controlplane.CreateAggregatorConfig(*config.Generic, opts, informers, services, config.ProxyTransport, config.PeerProxy, initializers)
	if err != nil {
		return nil, err
	}
	// An API server behind this one would be a Service with pods, and there are none.
	aggregatorConfig.ExtraConfig.DisableRemoteAvailableConditionController = true

	completedExtensions, completed, completedAggregator := extensionsConfig.Complete(), config.Complete(), aggregatorConfig.Complete()
	notFound := notfoundhandler.New(generic.Serializer, filters.NoMuxAndDiscoveryIncompleteKey)
	customKinds, err := completedExtensions.New(genericapiserver.NewEmptyDelegateWithCustomHandler(notFound))
	if err != nil {
		return nil, fmt.Errorf("custom kinds: %w", err)
	}
	builtIn, err := newBuiltIn(&completed, hub, customKinds.GenericAPIServer)
	if err != nil {
		return nil, fmt.Errorf("built-in kinds: %w", err)
	}
	return controlplane.CreateAggregatorServer(
		completedAggregator,
		builtIn.GenericAPIServer,
		customKinds.Informers.Apiextensions().V1().CustomResourceDefinitions(),
		extensionsConfig.GenericConfig.MergedResourceConfig.ResourceEnabled(apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions")),
		groupPriorities(),
	)
}

// newBuiltIn is the server of the kinds that are part of the program, with what has to run beside them.
func newBuiltIn(config *controlplane.CompletedConfig, hub *hubOptions, delegate genericapiserver.DelegationTarget) (*controlplane.Server, error) {
	server, err := config.New("hub-apiserver", delegate)
	if err != nil {
		return nil, err
	}
	client, err := kubernetes.NewForConfig(config.Generic.LoopbackClientConfig)
	if err != nil {
		return nil, err
	}
	providers, err := storageProviders(config, hub.serviceIPs, client.Discovery())
	if err != nil {
		return nil, err
	}
	if err := server.InstallAPIs(providers...); err != nil {
		return nil, err
	}
	// Without the default range no Service gets an address, and the check of addresses at the start fails after a minute,
	// which ends the server.
	server.GenericAPIServer.AddPostStartHookOrDie("default-service-cidr", func(hook genericapiserver.PostStartHookContext) error {
		defaultservicecidr.NewController(hub.serviceIPs, net.IPNet{}, client).Start(hook)
		return nil
	})
	server.GenericAPIServer.AddPostStartHookOrDie("hub-controllers", func(hook genericapiserver.PostStartHookContext) error {
		return startControllers(hook, config.Generic.LoopbackClientConfig, hub)
	})
	return server, nil
}
