package main

import (
	"errors"
	"fmt"
	"net"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle"
	mutatingpolicy "k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	validatingpolicy "k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/resourcequota"
	mutatingwebhook "k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
	validatingwebhook "k8s.io/apiserver/pkg/admission/plugin/webhook/validating"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	cliflag "k8s.io/component-base/cli/flag"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/kubernetes/pkg/controlplane/apiserver/options"
	"k8s.io/kubernetes/pkg/kubeapiserver/authorizer/modes"
	kubeoptions "k8s.io/kubernetes/pkg/kubeapiserver/options"
	"k8s.io/kubernetes/plugin/pkg/admission/certificates/approval"
	"k8s.io/kubernetes/plugin/pkg/admission/certificates/signing"
	"k8s.io/kubernetes/plugin/pkg/admission/certificates/subjectrestriction"
)

// What admission does unless told otherwise. Left out is what concerns pods only, and what puts finalizers on objects that a
// controller of a whole cluster takes away again (StorageObjectInUseProtection): here they would stay for ever.
var admissionPlugins = sets.New(
	lifecycle.PluginName,
	mutatingwebhook.PluginName,
	validatingwebhook.PluginName,
	mutatingpolicy.PluginName,
	validatingpolicy.PluginName,
	resourcequota.PluginName,
	approval.PluginName,
	signing.PluginName,
	subjectrestriction.PluginName,
)

// hubOptions are the generic control plane's options and our own.
type hubOptions struct {
	server *options.Options
	etcd   etcdOptions
	// Whether this server started its etcd, and so is the only one that uses it.
	ownEtcd     bool
	controllers controllerOptions
	serviceIPs  net.IPNet
}

func init() {
	utilruntime.Must(logsapi.AddFeatureGates(utilfeature.DefaultMutableFeatureGate))
}

func newOptions() *hubOptions {
	server := options.NewOptions()
	server.Admission.GenericAdmission.DefaultOffPlugins = sets.New(kubeoptions.AllOrderedPlugins...).Difference(admissionPlugins)
	// The default of the generic control plane lets everybody do everything.
	server.Authorization.Modes = []string{modes.ModeRBAC}
	server.Authentication.ServiceAccounts.OptionalTokenGetter = accountsWithoutPods
	// Without a certificate one is made in memory, not in a directory of the machine.
	server.SecureServing.ServerCert.CertDirectory = ""
	// The kinds that upstream's storage of core needs but that are not served: nobody watches them.
	server.Etcd.WatchCacheSizes = []string{"pods#0", "nodes#0", "endpoints#0", "podtemplates#0"}
	return &hubOptions{
		server:      server,
		etcd:        etcdOptions{binary: "etcd"},
		controllers: controllerOptions{signingDuration: 365 * 24 * time.Hour},
		// Room for a million Services. The addresses mean nothing: every cluster gives a Service one of its own.
		serviceIPs: net.IPNet{IP: net.IPv4(10, 0, 0, 0).To4(), Mask: net.CIDRMask(12, 32)},
	}
}

func (o *hubOptions) addFlags(sets *cliflag.NamedFlagSets) {
	o.server.AddFlags(sets)
	fs := sets.FlagSet("hub")
	fs.StringVar(&o.etcd.dataDir, "etcd-data-dir", o.etcd.dataDir, "Directory of the data of the etcd that is started where --etcd-servers is not given.")
	fs.StringVar(&o.etcd.binary, "etcd-binary", o.etcd.binary, "Program of that etcd: a path, or a name to look up in PATH.")
	fs.StringVar(&o.etcd.socket, "etcd-socket", o.etcd.socket, "Unix socket on which that etcd listens, for this server and for whoever may read the directory it is in. Defaults to the data directory with .sock appended.")
	fs.StringArrayVar(&o.etcd.args, "etcd-arg", o.etcd.args, "Another argument for that etcd; may be given several times.")
	fs.StringVar(&o.controllers.rootCAFile, "root-ca-file", o.controllers.rootCAFile, "Certificates of the authority of this server, published in every namespace and put into token Secrets.")
	fs.StringVar(&o.controllers.signingCertFile, "cluster-signing-cert-file", o.controllers.signingCertFile, "Certificate of the authority that signs requests for client certificates (signer kubernetes.io/kube-apiserver-client).")
	fs.StringVar(&o.controllers.signingKeyFile, "cluster-signing-key-file", o.controllers.signingKeyFile, "Private key of that authority.")
	fs.DurationVar(&o.controllers.signingDuration, "cluster-signing-duration", o.controllers.signingDuration, "The longest time for which client certificates are signed.")
	fs.IPNetVar(&o.serviceIPs, "service-cluster-ip-range", o.serviceIPs, "Range of the addresses that Services get here; it must not change once there are Services.")
}

func (o *hubOptions) validate() []error {
	var errs []error
	if (o.controllers.signingCertFile == "") != (o.controllers.signingKeyFile == "") {
		errs = append(errs, errors.New("--cluster-signing-cert-file and --cluster-signing-key-file belong together: give both, or neither, then no certificate request is signed"))
	}
	if ones, bits := o.serviceIPs.Mask.Size(); bits-ones < 8 {
		errs = append(errs, fmt.Errorf("--service-cluster-ip-range is %s, with room for fewer than 256 Services: give a larger range, for example 10.0.0.0/12", &o.serviceIPs))
	}
	return errs
}
