export { packNodeImage, type NodeImage } from "./node-image";
export { packImage, type ImageSettings } from "./oci-image";
export { ensurePauseImage, PAUSE_IMAGE } from "./pause";
