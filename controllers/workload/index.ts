export { dependenciesOf, serves, type Dependency } from "./dependencies";
export { healthOf, type Health } from "./health";
export { kindName } from "./kind-name";
export { PLACEABLE, type PlaceableKind } from "./kinds";
export { manifestOf, type Manifest, type ManifestOptions } from "./manifest";
export { reasonNotToSync } from "./never-synced";
export { podTemplateOf } from "./pod-template";
