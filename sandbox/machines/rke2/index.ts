export { rke2Image, type Rke2ImageOptions } from "./machine-image";
export { rke2Release, type Rke2Release } from "./release";
export { Rke2Releases } from "./releases";
export { DEFAULT_RELEASE, EARLIER_RELEASE, KUBERNETES_VERSIONS } from "./version";
