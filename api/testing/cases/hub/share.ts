// Test cases: valid and malformed Shares.
import { bad, type Cases } from "../case";

const hash = "34f16c38a6b3a4b2ae2e9f93a1a7d6bd1c1f6d8a4d3b4be19d6a4f8f5a6b7c8d";
const manifest = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`;
const root = { apiVersion: "v1", kind: "ConfigMap", namespace: "shop", name: "web", uid: "6d8a0b6e" };
const field = (it: string, name: string, value: unknown, says: string) =>
  bad(it, `spec.${name}`, value, says);
const ofRoot = (it: string, name: string, value: unknown, says: string) =>
  bad(`root: ${it}`, `spec.root.${name}`, value, says);

/** What both validators must say of Shares. */
export const shareCases: Cases = {
  base: { root: { ...root, generation: 3 }, manifest, hash, replicas: 2, ordinalStart: 4 },
  valid: [
    ["no more than is needed", { root, manifest, hash }],
    ["no replicas", { root, manifest, hash, replicas: 0, phase: "Draining" }],
    ["a root without a namespace", { root: { ...root, namespace: undefined }, manifest, hash }],
    ["a root with a dot in its name", { root: { ...root, name: "web.example" }, manifest, hash }],
  ],
  malformed: [
    bad("no spec", "spec", undefined, "Required value"),
    field("an unknown field", "cluster", "east", "unknown field"),
    field("no root", "root", undefined, "Required value"),
    field("a root that is text", "root", "web", "must be of type object"),
    ofRoot("no apiVersion", "apiVersion", undefined, "Required value"),
    ofRoot("no kind", "kind", undefined, "Required value"),
    ofRoot("an empty kind", "kind", "", "at least 1 chars"),
    ofRoot("no name", "name", undefined, "Required value"),
    ofRoot("a name that is none", "name", "a/b", "the root's name must be an object's name"),
    ofRoot("a name in capitals", "name", "Web", "the root's name must be an object's name"),
    ofRoot("a namespace that is none", "namespace", "a.b", "the root's namespace must be a DNS label"),
    ofRoot("an empty namespace", "namespace", "", "at least 1 chars"),
    ofRoot("no UID", "uid", undefined, "Required value"),
    ofRoot("an empty UID", "uid", "", "at least 1 chars"),
    ofRoot("a UID that is too long", "uid", "a".repeat(65), "Too long"),
    ofRoot("a generation below 0", "generation", -1, "greater than or equal to 0"),
    ofRoot("a generation that is text", "generation", "3", "must be of type integer"),
    ofRoot("an unknown field", "resourceVersion", "7", "unknown field"),
    field("no manifest", "manifest", undefined, "Required value"),
    field("a manifest that is a list", "manifest", [manifest], "must be of type string"),
    field("an empty manifest", "manifest", "", "at least 1 chars"),
    field("a manifest that etcd would not take", "manifest", "a".repeat(1_048_577), "Too long"),
    field("no hash", "hash", undefined, "Required value"),
    field("a hash that is too short", "hash", hash.slice(1), "the hash must be the SHA-256"),
    field("a hash that is too long", "hash", `${hash}0`, "Too long"),
    field("a hash in capitals", "hash", hash.toUpperCase(), "the hash must be the SHA-256"),
    field("less than no replicas", "replicas", -1, "greater than or equal to 0"),
    field("replicas as text", "replicas", "2", "must be of type integer"),
    field("half a replica", "replicas", 0.5, "must be of type integer"),
    field("more replicas than an int32", "replicas", 2_147_483_648, "less than or equal to"),
    field("an ordinal below 0", "ordinalStart", -1, "greater than or equal to 0"),
    field("an ordinal as text", "ordinalStart", "0", "must be of type integer"),
    field("an unknown phase", "phase", "Removed", "supported values"),
    field("an empty phase", "phase", "", "supported values"),
  ],
};
