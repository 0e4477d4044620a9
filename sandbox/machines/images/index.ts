export { packNodeImage, type NodeImage } from "./node-image";
export { packImage, type ImageSettings } from "./oci-image";
export { COREDNS_IMAGE } from "./coredns-name";
export { ensureCorednsImage } from "./coredns";
export { ensurePauseImage } from "./pause";
export { PAUSE_IMAGE } from "./pause-name";
