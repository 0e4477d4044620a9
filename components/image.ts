import { z } from "zod";

/** An image by its digest: a tag alone can mean another image tomorrow. */
export const imageByDigest = z.string().superRefine((text, context) => {
  if (/^[a-z0-9][^\s@]*@sha256:[0-9a-f]{64}$/.test(text)) return;
  const name = text.replace(/(:[^/:@]*)?(@.*)?$/, "") || "registry.example.com/name";
  context.addIssue({
    code: "custom",
    message: `use the image's digest, because a tag can change its meaning: ${name}@sha256:…`,
  });
});
