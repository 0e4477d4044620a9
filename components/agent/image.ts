import type { Problem } from "../cluster/problem";

/** What is wrong with the name of an image: a tag alone can mean another image tomorrow. */
export function imageProblems(where: string, image: unknown): Problem[] {
  if (typeof image !== "string" || image === "")
    return [`${where} is missing: give the image by its digest, as in registry.example.com/name@sha256:….`];
  if (/^[a-z0-9][^\s@]*@sha256:[0-9a-f]{64}$/.test(image)) return [];
  return [
    `${where} is ${JSON.stringify(image)}: give the image by its digest, as in ${image.replace(/(:[^/:@]*)?(@.*)?$/, "")}@sha256:…, because a tag can change its meaning.`,
  ];
}
