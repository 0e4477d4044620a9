// Settings of RKE2 that the program has no word for: shape, checks, and what becomes of them on a node.
import { z } from "zod";
import { found, keyed, type Problem } from "../../../problem";
import type { ShapeOf } from "../../../schema";
import { insteadOf, insteadOfArgument, isForAgents } from "./config-keys";
import type { NodeCommandsArgs, OutboundProxyArgs } from "./free-args";

const proxyUrl = z.string().superRefine((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol))
    context.addIssue({ code: "custom", message: "use an address such as http://proxy.example.com:3128" });
  else if (url.username !== "" || url.password !== "")
    // Every process on a node can read the variables.
    context.addIssue({
      code: "custom",
      message:
        "leave the account out: it would stand in the state and on every node; let the proxy know nodes by their address",
    });
});

/** A word of an environment file, which systemd and shells read alike. */
const host = z
  .string()
  .refine(
    (text) => /^[A-Za-z0-9.*_:/[\]-]+$/.test(text),
    "use a host, a domain such as .example.com, or a range",
  );

const argument = z
  .string()
  .refine((text) => !text.startsWith("-"), "leave the dashes in front out: max-pods=200");

/** The settings, as parts of those of a cluster. */
export const freeSettings = {
  config: z.record(z.string(), z.unknown()).default({}),
  kubeletArgs: z.array(argument).default([]),
  commands: z
    .strictObject({
      before: z.array(z.string().min(1)).default([]),
      after: z.array(z.string().min(1)).default([]),
    } satisfies ShapeOf<NodeCommandsArgs>)
    .prefault({}),
  outboundProxy: z
    .strictObject({
      http: proxyUrl.optional(),
      https: proxyUrl.optional(),
      noProxy: z.array(host).default([]),
    } satisfies ShapeOf<OutboundProxyArgs>)
    .optional(),
  systemDefaultRegistry: z
    .string()
    .refine(
      (text) => /^[a-z0-9.-]+(:[0-9]+)?(\/[a-z0-9._/-]+)?$/.test(text),
      "use a host such as registry.example.com, without https://",
    )
    .optional(),
};

/** They all, with defaults. */
export type FreeSettings = z.output<z.ZodObject<typeof freeSettings>>;

/** What is wrong with them beyond their shape: mostly, that the program writes the key itself. */
export function freeProblems({ config, kubeletArgs, outboundProxy }: FreeSettings): Problem[] {
  const of = (path: string, list: string, values: unknown): Problem[] =>
    (Array.isArray(values) ? values : [values]).flatMap((value: unknown, index) => {
      const instead = typeof value === "string" ? insteadOfArgument(list, value) : undefined;
      return instead === undefined
        ? []
        : [{ path: `${path}[${index}]`, message: found(value, `the program sets it; ${instead}`) }];
    });
  return [
    ...Object.entries(config).flatMap(([key, value]) => {
      const path = keyed("config", key);
      const bare = key.replace(/\+$/, "");
      const instead = insteadOf(bare);
      if (instead !== undefined) return [{ path, message: `the program writes this key; ${instead}` }];
      if (bare !== key)
        return [{ path, message: `leave the + out: lists of the program's own and of yours are joined` }];
      if (/[A-Z_]/.test(key))
        return [
          { path, message: `RKE2's keys have small letters and hyphens; see its reference of config.yaml` },
        ];
      if (/(access|secret)-key|session-token|password/.test(key))
        return [{ path, message: "it is a secret, and this setting is none; use the role of the nodes" }];
      return of(path, key, value);
    }),
    ...of("kubeletArgs", "kubeletArgs", kubeletArgs),
    ...(outboundProxy !== undefined && outboundProxy.http === undefined && outboundProxy.https === undefined
      ? [{ path: "outboundProxy", message: "found neither http nor https: name the proxy" }]
      : []),
  ];
}

/** The keys of a role's config.yaml with those that a person added. Lists that both have are joined. */
export function withFreeKeys(
  own: Readonly<Record<string, unknown>>,
  free: FreeSettings | undefined,
  role: "server" | "agent",
): Record<string, unknown> {
  if (free === undefined) return { ...own };
  const added: Record<string, unknown> = {
    ...Object.fromEntries(
      Object.entries(free.config)
        .filter(([key]) => role === "server" || isForAgents(key))
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
    ...(free.systemDefaultRegistry === undefined
      ? {}
      : { "system-default-registry": free.systemDefaultRegistry }),
    ...(free.kubeletArgs.length === 0 ? {} : { "kubelet-arg": free.kubeletArgs }),
  };
  const all = { ...own };
  for (const [key, value] of Object.entries(added)) {
    const before = all[key];
    all[key] = before === undefined ? value : [before, value].flat();
  }
  return all;
}

/** The settings with what a node has to know beside them. */
export interface FreeContext extends ProxyContext {
  readonly free: FreeSettings;
}

/** What the variables of a proxy are made from. */
export interface ProxyContext {
  readonly networkCidr: string;
  readonly clusterCidr: string;
  readonly serviceCidr: string;
  readonly clusterDomain: string;
}

/** The variables by which programs find the proxy. */
export function proxyVariables(
  proxy: FreeSettings["outboundProxy"],
  around: ProxyContext,
): Record<string, string> {
  if (proxy === undefined) return {};
  const { http = proxy.https ?? "", https = proxy.http ?? "", noProxy } = proxy;
  const none = [
    "localhost",
    "127.0.0.1",
    "127.0.0.0/8",
    // The metadata service.
    "169.254.169.254",
    around.networkCidr,
    around.clusterCidr,
    around.serviceCidr,
    ".svc",
    `.${around.clusterDomain}`,
    ".internal",
    ...noProxy,
  ].join(",");
  return { HTTP_PROXY: http, HTTPS_PROXY: https, NO_PROXY: none };
}
