import { Failure } from "../../../lib/failure";
import { TOOLS, type ToolName } from "../../toolchain/tools";

/** The programs that differ from one version of Kubernetes to the next, by the name that they have on a node. */
type Programs = Readonly<Record<string, ToolName>>;

/** Programs that serve every version: etcd is the same, and kubectl works with the version before its own. */
const COMMON: Programs = { etcd: "etcd", etcdctl: "etcdctl", etcdutl: "etcdutl", kubectl: "kubectl" };

/** The tools of each version of Kubernetes that releases can be made of. */
const VERSIONS: Readonly<Record<string, Programs>> = {
  [TOOLS["kube-apiserver"].version]: {
    ...COMMON,
    "kube-apiserver": "kube-apiserver",
    "kube-controller-manager": "kube-controller-manager",
    "kube-scheduler": "kube-scheduler",
    kubelet: "kubelet",
    "kube-proxy": "kube-proxy",
  },
  [TOOLS["kube-apiserver-1.34"].version]: {
    ...COMMON,
    "kube-apiserver": "kube-apiserver-1.34",
    "kube-controller-manager": "kube-controller-manager-1.34",
    "kube-scheduler": "kube-scheduler-1.34",
    kubelet: "kubelet-1.34",
    "kube-proxy": "kube-proxy-1.34",
  },
};

/** The release that is served and run unless another one is asked for. */
export const DEFAULT_RELEASE = `v${TOOLS["kube-apiserver"].version}+rke2r1`;
/** One minor version before it, for upgrades. Its programs are no part of an image unless it is asked for. */
export const EARLIER_RELEASE = `v${TOOLS["kube-apiserver-1.34"].version}+rke2r1`;

/** The Kubernetes versions that releases can be made of. */
export const KUBERNETES_VERSIONS: readonly string[] = Object.keys(VERSIONS);

/** The Kubernetes version that is in a release's name; one that the sandbox has not is refused. */
export function kubernetesOf(release: string): string {
  const version = /^v(\d+\.\d+\.\d+)\+rke2r\d+$/.exec(release)?.[1];
  if (version === undefined)
    throw new Failure(`"${release}" is no release of RKE2. Their names are like ${DEFAULT_RELEASE}.`);
  if (VERSIONS[version] === undefined)
    throw new Failure(
      `There is no release ${release} in the sandbox, only of Kubernetes ${KUBERNETES_VERSIONS.join(" and ")}, such as ${DEFAULT_RELEASE}.`,
    );
  return version;
}

/** The tools of a release, by the name that they have on a node. */
export function programsOf(release: string): Programs {
  return VERSIONS[kubernetesOf(release)] ?? {};
}

/** Where the machine's image holds what a release runs. */
export function runtimeFolder(release: string): string {
  return `/opt/fleetwright/rke2/v${kubernetesOf(release)}`;
}
