import path from "node:path";
import { type Descriptor, LayoutDraft, MediaType } from "../oci-layout";
import { STACK_PROGRAMS } from "../programs";

/** Writes layouts of the same form as real ones, of a few bytes: a shared layer, one of its own each, and a referrer. */
export async function writeSmallImages(folder: string): Promise<Map<string, Descriptor>> {
  const written = new Map<string, Descriptor>();
  for (const { name } of STACK_PROGRAMS) {
    const draft = new LayoutDraft();
    const manifest = draft.addJson(MediaType.manifest, {
      schemaVersion: 2,
      mediaType: MediaType.manifest,
      config: draft.add(MediaType.config, JSON.stringify({ os: "linux", name })),
      layers: [draft.add(MediaType.layer, "shared"), draft.add(MediaType.layer, `of ${name}`)],
    });
    const image = draft.addJson(MediaType.index, {
      schemaVersion: 2,
      mediaType: MediaType.index,
      manifests: [manifest],
    });
    const referrer = draft.addJson(MediaType.manifest, {
      schemaVersion: 2,
      mediaType: MediaType.manifest,
      artifactType: "application/spdx+json",
      config: draft.add(MediaType.empty, "{}"),
      layers: [draft.add("application/spdx+json", `{"name":"${name}"}`)],
      subject: manifest,
    });
    await draft.write(path.join(folder, name), "1.2.3", image, [referrer]);
    written.set(name, manifest);
  }
  return written;
}
