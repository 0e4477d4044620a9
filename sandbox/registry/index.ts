export { ImageStore, parseName, type StoredImage } from "./image-store";
export { answerRegistryRequest, isRegistryRequest } from "./requests";
