// The checks of the hub's arguments: shape, defaults and values. Loads no SDK.
import { z } from "zod";
import type { Problem } from "../problem";
import { check, type Checked, input, refined, type ShapeOf, textMap } from "../schema";
import { withoutTransform } from "../transform";
import { imageByDigest } from "../image";
import type { HubArgs, HubEtcdArgs, HubKubernetesArgs, HubVolumeArgs } from "./args";

const kubernetes = z.strictObject({
  apiServerImage: imageByDigest,
  controllerManagerImage: imageByDigest,
  etcdImage: imageByDigest.optional(),
} satisfies ShapeOf<HubKubernetesArgs>);

const etcd = z.strictObject({
  servers: z.array(input()).min(1),
  secretName: input(),
  networks: z.array(z.cidrv4()).min(1),
  replicas: z.int().min(1).max(5).default(3),
} satisfies ShapeOf<HubEtcdArgs>);

const volume = z.strictObject({
  size: z.string().default("20Gi"),
  storageClass: z.string().optional(),
} satisfies ShapeOf<HubVolumeArgs>);

const hubSchema = z.strictObject({
  server: z.enum(["hub-apiserver", "kube-apiserver"]).default("hub-apiserver"),
  image: imageByDigest.optional(),
  kubernetes: kubernetes.optional(),
  namespace: z.string().default("fleetwright-hub"),
  endpoint: input().optional(),
  etcd: etcd.optional(),
  volume: volume.prefault({}),
  retain: z.boolean().default(true),
  labels: textMap().default({}),
} satisfies ShapeOf<HubArgs>);

/** The arguments of the hub with all defaults. */
export type HubSettings = z.output<typeof hubSchema>;

/** Fills in the defaults of the hub's arguments, and finds all that is wrong with them. */
export function checkHub(args: HubArgs): Checked<HubSettings> {
  return refined(check(hubSchema, withoutTransform(args)), imagesMissing);
}

/** Each server has its images, and only those. */
function imagesMissing({ server, image, kubernetes: own, etcd: outside }: HubSettings): Problem[] {
  if (server === "hub-apiserver") {
    return [
      ...(image === undefined
        ? [{ path: "image", message: "not set: name the image of hub-apiserver by its digest" }]
        : []),
      ...(own === undefined
        ? []
        : [
            {
              path: "kubernetes",
              message: "found images for kube-apiserver: set server to kube-apiserver, or leave them out",
            },
          ]),
    ];
  }
  if (own === undefined)
    return [
      {
        path: "kubernetes",
        message: "not set: kube-apiserver needs apiServerImage and controllerManagerImage",
      },
    ];
  return own.etcdImage === undefined && outside === undefined
    ? [
        {
          path: "kubernetes.etcdImage",
          message: "not set: name the image of etcd, or an etcd of your own in etcd",
        },
      ]
    : [];
}
