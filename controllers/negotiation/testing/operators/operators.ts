// Well-known operators whose definitions are test data, each in two versions that are some years apart.

/** An operator, and where its Go module has its definitions. */
export interface Operator {
  name: string;
  module: string;
  versions: readonly [older: string, newer: string];
  /** Files or folders in the module. */
  files: readonly string[];
  /** The plurals of the kinds that are taken: those that people use most, to keep the files small. */
  kinds: readonly string[];
}

/** All under the Apache License 2.0. */
export const OPERATORS: readonly Operator[] = [
  {
    name: "cert-manager",
    module: "github.com/cert-manager/cert-manager",
    versions: ["v1.14.7", "v1.17.1"],
    files: ["deploy/crds"],
    kinds: ["certificates", "issuers"],
  },
  {
    name: "gateway-api",
    module: "sigs.k8s.io/gateway-api",
    versions: ["v1.0.0", "v1.3.0"],
    files: ["config/crd/standard"],
    kinds: ["gateways", "httproutes"],
  },
  {
    name: "keda",
    module: "github.com/kedacore/keda/v2",
    versions: ["v2.12.1", "v2.17.0"],
    files: ["config/crd/bases"],
    kinds: ["scaledobjects", "triggerauthentications"],
  },
  {
    name: "external-secrets",
    module: "github.com/external-secrets/external-secrets",
    versions: ["v0.9.20", "v1.3.2"],
    files: ["config/crds/bases"],
    kinds: ["externalsecrets", "pushsecrets"],
  },
  {
    name: "prometheus-operator",
    module: "github.com/prometheus-operator/prometheus-operator",
    versions: ["v0.70.0", "v0.82.0"],
    files: ["example/prometheus-operator-crd"],
    kinds: ["servicemonitors", "prometheuses"],
  },
  {
    name: "istio",
    module: "istio.io/api",
    versions: ["v1.20.0", "v1.26.0"],
    files: ["kubernetes"],
    kinds: ["virtualservices", "destinationrules"],
  },
  {
    name: "cluster-api",
    module: "sigs.k8s.io/cluster-api",
    versions: ["v1.6.0", "v1.10.1"],
    files: ["config/crd/bases"],
    kinds: ["clusters", "machinedeployments"],
  },
  {
    name: "crossplane",
    module: "github.com/crossplane/crossplane",
    versions: ["v1.14.0", "v1.19.0"],
    files: ["cluster/crds"],
    kinds: ["compositions", "providers"],
  },
  {
    name: "argo-workflows",
    module: "github.com/argoproj/argo-workflows/v3",
    versions: ["v3.5.5", "v3.6.5"],
    files: ["manifests/base/crds/full"],
    kinds: ["workflows", "cronworkflows"],
  },
  {
    name: "argo-cd",
    module: "github.com/argoproj/argo-cd/v2",
    versions: ["v2.10.0", "v2.14.10"],
    files: ["manifests/crds"],
    kinds: ["applications", "appprojects"],
  },
];
