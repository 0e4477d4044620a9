import { at, listAt, parseJson } from "../../../lib/json";
import { type Descriptor, type Layout, MediaType } from "../oci-layout";

/** An image of one platform, with what refers to it. */
export interface OpenedImage {
  readonly digest: string;
  readonly config: unknown;
  /** Compressed. */
  readonly layers: Buffer[];
  readonly materials: {
    packages: { SPDXID: string; name: string; versionInfo: string }[];
    relationships: object[];
  };
}

/** Reads the images of a layout, one for each platform. */
export async function openImages(layout: Layout): Promise<OpenedImage[]> {
  return Promise.all(
    (await layout.partsOf(layout.image)).map(async (manifest) => {
      const [config, ...layers] = (await layout.partsOf(manifest)) as [Descriptor, ...Descriptor[]];
      const json = async (one: Descriptor): Promise<unknown> =>
        parseJson((await layout.read(one)).toString());
      const diffIds = listAt(await json(config), "rootfs", "diff_ids");
      if (diffIds.length !== layers.length) throw new Error("The configuration names other layers.");
      return {
        digest: manifest.digest,
        config: await json(config),
        layers: await Promise.all(layers.map((layer) => layout.read(layer))),
        materials: (await materialsOf(layout, manifest)) as OpenedImage["materials"],
      };
    }),
  );
}

async function materialsOf(layout: Layout, image: Descriptor): Promise<unknown> {
  for (const referrer of layout.referrers) {
    if ((await layout.subjectOf(referrer))?.digest !== image.digest) continue;
    const document = (await layout.partsOf(referrer)).find(({ mediaType }) => mediaType !== MediaType.empty);
    if (document !== undefined) return at(parseJson((await layout.read(document)).toString()));
  }
  throw new Error(`Nothing refers to ${image.digest}.`);
}
