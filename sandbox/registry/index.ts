export { ImageRegistry } from "./image-registry";
export { ImageStore, parseName, type StoredImage } from "./image-store";
