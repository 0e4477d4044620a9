package main

import (
	"context"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/util/keyutil"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/bootstrap"
	"k8s.io/kubernetes/pkg/controller/certificates/cleaner"
	"k8s.io/kubernetes/pkg/controller/certificates/rootcacertpublisher"
	"k8s.io/kubernetes/pkg/controller/certificates/signer"
	"k8s.io/kubernetes/pkg/controller/clusterroleaggregation"
	serviceaccountcontroller "k8s.io/kubernetes/pkg/controller/serviceaccount"
	rbacrest "k8s.io/kubernetes/pkg/registry/rbac/rest"
	"k8s.io/kubernetes/pkg/serviceaccount"
)

// The user that the bootstrap policy lets list and watch everything.
const informerUser = "system:kube-controller-manager"

type controllerOptions struct {
	rootCAFile      string
	signingCertFile string
	signingKeyFile  string
	signingDuration time.Duration
}

// clients makes clients that act as the service account of one controller, with the rights that the bootstrap policy gives
// it, and with its name in the audit log.
type clients struct{ loopback *rest.Config }

func (c clients) config(user string) *rest.Config {
	config := rest.CopyConfig(c.loopback)
	config.Impersonate = rest.ImpersonationConfig{UserName: user}
	// The server's own fairness limits them.
	config.QPS = -1
	return config
}

func (c clients) account(name string) *rest.Config {
	return c.config("system:serviceaccount:kube-system:" + name)
}

func (c clients) client(name string) kubernetes.Interface {
	return kubernetes.NewForConfigOrDie(c.account(name))
}

// startControllers runs the controllers in this process; where several servers share an etcd, in one of them.
func startControllers(ctx context.Context, loopback *rest.Config, hub *hubOptions) error {
	run := func(ctx context.Context) {
		if err := runControllers(ctx, clients{loopback}, hub); err != nil && ctx.Err() == nil {
			klog.ErrorS(err, "The controllers cannot run")
			klog.FlushAndExit(klog.ExitFlushTimeout, 1)
		}
	}
	if hub.ownEtcd {
		go run(ctx)
		return nil
	}
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	lock, err := resourcelock.NewFromKubeconfig(
		resourcelock.LeasesResourceLock, metav1.NamespaceSystem, "hub-controllers",
		resourcelock.ResourceLockConfig{Identity: host + "_" + string(uuid.NewUUID())}, loopback, 10*time.Second,
	)
	if err != nil {
		return err
	}
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock:            lock,
		LeaseDuration:   15 * time.Second,
		RenewDeadline:   10 * time.Second,
		RetryPeriod:     2 * time.Second,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: run,
			OnStoppedLeading: func() {
				// Controllers cannot be stopped and started again: the next process takes part in the election anew.
				if ctx.Err() == nil {
					klog.ErrorS(nil, "Another server took the lease kube-system/hub-controllers, or it could not be renewed")
					klog.FlushAndExit(klog.ExitFlushTimeout, 1)
				}
			},
		},
	})
	if err != nil {
		return err
	}
	go elector.Run(ctx)
	return nil
}

func runControllers(ctx context.Context, clients clients, hub *hubOptions) error {
	watcher := kubernetes.NewForConfigOrDie(clients.config(informerUser))
	// The rights of the controllers are written while the server starts; before that every request of theirs is refused.
	written := kubernetes.NewForConfigOrDie(clients.loopback).Discovery().RESTClient().Get().AbsPath("/readyz/poststarthook", rbacrest.PostStartHookName)
	err := wait.PollUntilContextCancel(ctx, 100*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		if err := written.Do(ctx).Error(); err != nil {
			return false, nil
		}
		_, err := watcher.CoreV1().Namespaces().List(ctx, metav1.ListOptions{Limit: 1})
		return err == nil, nil
	})
	if err != nil {
		return err
	}
	all, err := newControllers(ctx, clients, watcher, hub)
	if err != nil {
		return err
	}
	for _, factory := range all.factories {
		factory.Start(ctx.Done())
	}
	for _, loop := range all.loops {
		go loop(ctx)
	}
	all.collector.run(ctx)
	return nil
}

// controllers are what runs, and the informers that feed it.
type controllers struct {
	factories []informers.SharedInformerFactory
	collector *collector
	loops     []func(context.Context)
}

func newControllers(ctx context.Context, clients clients, watcher kubernetes.Interface, hub *hubOptions) (*controllers, error) {
	all := &controllers{}
	factory := func(options ...informers.SharedInformerOption) informers.SharedInformerFactory {
		made := informers.NewSharedInformerFactoryWithOptions(watcher, 0, options...)
		all.factories = append(all.factories, made)
		return made
	}
	// Secrets and ConfigMaps are many and large: each controller watches those that concern it.
	selected := func(selector string) informers.SharedInformerOption {
		return informers.WithTweakListOptions(func(options *metav1.ListOptions) { options.FieldSelector = selector })
	}
	everything := factory()
	bootstrapSecrets := factory(informers.WithNamespace(metav1.NamespaceSystem), selected("type="+string(corev1.SecretTypeBootstrapToken)))
	publicConfigMaps := factory(informers.WithNamespace(metav1.NamespacePublic))
	tokenSecrets := factory(selected("type=" + string(corev1.SecretTypeServiceAccountToken)))
	rootConfigMaps := factory(selected("metadata.name=" + rootcacertpublisher.RootCACertConfigMapName))
	namespaces, accounts := everything.Core().V1().Namespaces(), everything.Core().V1().ServiceAccounts()
	requests := everything.Certificates().V1().CertificateSigningRequests()
	workers := func(run func(context.Context, int), count int) {
		all.loops = append(all.loops, func(ctx context.Context) { run(ctx, count) })
	}

	deleter, err := newNamespaceController(ctx, clients, namespaces)
	if err != nil {
		return nil, fmt.Errorf("namespace controller: %w", err)
	}
	workers(deleter.Run, 10)

	all.collector, err = newCollector(ctx, clients)
	if err != nil {
		return nil, fmt.Errorf("garbage collector: %w", err)
	}

	defaultAccounts, err := serviceaccountcontroller.NewServiceAccountsController(klog.FromContext(ctx), accounts, namespaces, clients.client("service-account-controller"), serviceaccountcontroller.DefaultServiceAccountsControllerOptions())
	if err != nil {
		return nil, fmt.Errorf("service account controller: %w", err)
	}
	workers(defaultAccounts.Run, 1)

	roles := clusterroleaggregation.NewClusterRoleAggregation(everything.Rbac().V1().ClusterRoles(), clients.client("clusterrole-aggregation-controller").RbacV1())
	workers(roles.Run, 5)

	workers(cleaner.NewCSRCleanerController(clients.client("certificate-controller").CertificatesV1().CertificateSigningRequests(), requests).Run, 1)

	signed, err := bootstrap.NewSigner(clients.client("bootstrap-signer"), bootstrapSecrets.Core().V1().Secrets(), publicConfigMaps.Core().V1().ConfigMaps(), bootstrap.DefaultSignerOptions())
	if err != nil {
		return nil, fmt.Errorf("bootstrap signer: %w", err)
	}
	expired, err := bootstrap.NewTokenCleaner(clients.client("token-cleaner"), bootstrapSecrets.Core().V1().Secrets(), bootstrap.DefaultTokenCleanerOptions())
	if err != nil {
		return nil, fmt.Errorf("token cleaner: %w", err)
	}
	all.loops = append(all.loops, signed.Run, expired.Run)

	var rootCA []byte
	if file := hub.controllers.rootCAFile; file != "" {
		if rootCA, err = os.ReadFile(file); err != nil {
			return nil, fmt.Errorf("--root-ca-file: %w", err)
		}
		publisher, err := rootcacertpublisher.NewPublisher(rootConfigMaps.Core().V1().ConfigMaps(), namespaces, clients.client("root-ca-cert-publisher"), rootCA)
		if err != nil {
			return nil, fmt.Errorf("root CA publisher: %w", err)
		}
		workers(publisher.Run, 1)
	}

	if file := hub.controllers.signingCertFile; file != "" {
		signing, err := signer.NewKubeAPIServerClientCSRSigningController(ctx, clients.client("certificate-controller"), requests, file, hub.controllers.signingKeyFile, hub.controllers.signingDuration)
		if err != nil {
			return nil, fmt.Errorf("certificate signer: %w", err)
		}
		workers(signing.Run, 5)
	}

	if file := hub.server.ServiceAccountSigningKeyFile; file != "" {
		key, err := keyutil.PrivateKeyFromFile(file)
		if err != nil {
			return nil, fmt.Errorf("--service-account-signing-key-file: %w", err)
		}
		generator, err := serviceaccount.JWTTokenGenerator(serviceaccount.LegacyIssuer, key)
		if err != nil {
			return nil, fmt.Errorf("tokens of service accounts: %w", err)
		}
		// Its rights are those of the controller manager itself, as upstream.
		tokens, err := serviceaccountcontroller.NewTokensController(klog.FromContext(ctx), accounts, tokenSecrets.Core().V1().Secrets(), watcher, serviceaccountcontroller.TokensControllerOptions{TokenGenerator: generator, RootCA: rootCA})
		if err != nil {
			return nil, fmt.Errorf("tokens of service accounts: %w", err)
		}
		workers(tokens.Run, 5)
	}
	return all, nil
}
