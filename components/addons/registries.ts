import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { SYSTEM_NAMESPACE } from "../../api";
import { type Problem, refuseProblems } from "../cluster/problem";
import { transformed, type Transform } from "../cluster/transform";
import {
  declare,
  metadataOf,
  nameProblems,
  specProblems,
  without,
  type DeclarationTransform,
  type Labels,
} from "./declaration";

/** The credentials of a registry. They go into a Secret and nowhere else. */
export interface CredentialsArgs {
  /** For ECR the access key id; Google's needs none. */
  username?: pulumi.Input<string>;
  /** The password or token; for ECR the secret access key, for Google's the JSON key. */
  password: pulumi.Input<string>;
}

/** What only Amazon ECR needs. */
export interface EcrArgs {
  /** @default the one in the endpoint */
  region?: string;
  /** @default the one in the endpoint */
  accountId?: string;
  /** A role to assume before asking for a token. */
  roleArn?: string;
}

/** An image registry that pods may pull from. */
export interface RegistryArgs {
  name: string;
  /** basic, ecr, gar, github, gitlab, dockerhub, quay or acr. */
  provider: string;
  /** @example "ghcr.io" */
  endpoint: string;
  /** Only ECR can do without, by the role of its pod or node. */
  credentials?: CredentialsArgs;
  ecr?: EcrArgs;
  /** The service accounts whose pods may pull. @default ["fleetwright"] */
  serviceAccounts?: string[];
}

/** The arguments of `Registries`. */
export interface RegistriesArgs {
  registries: RegistryArgs[];
  /** Where the Secrets go. @default "fleetwright-system" */
  namespace?: pulumi.Input<string>;
  /** Labels for every object. @default {} */
  labels?: Labels;
}

/** The options of `Registries`. */
export interface RegistriesOptions extends pulumi.ComponentResourceOptions {
  transform?: { registry?: DeclarationTransform; secret?: Transform<kubernetes.core.v1.SecretArgs> };
}

/**
 * The image registries that pods in every namespace may pull from.
 *
 * @example
 * new Registries("registries", {
 *   registries: [{
 *     name: "github", provider: "github", endpoint: "ghcr.io",
 *     credentials: { username: "robot", password: config.requireSecret("githubToken") },
 *   }],
 * });
 */
export class Registries extends pulumi.ComponentResource {
  constructor(name: string, args: RegistriesArgs, opts: RegistriesOptions = {}) {
    refuseProblems("The list of registries", registryProblems(args.registries), opts.parent);
    super("fleetwright:index:Registries", name, shown(args), opts);
    const namespace = args.namespace ?? SYSTEM_NAMESPACE;
    for (const registry of args.registries) {
      const { credentials } = registry;
      const secret =
        credentials === undefined
          ? undefined
          : new kubernetes.core.v1.Secret(
              ...transformed<kubernetes.core.v1.SecretArgs>(
                opts.transform?.secret,
                `${name}-${registry.name}-credentials`,
                {
                  metadata: { ...metadataOf(secretName(registry.name), args.labels), namespace },
                  type: "Opaque",
                  stringData: {
                    ...(credentials.username === undefined ? {} : { username: credentials.username }),
                    password: pulumi.secret(credentials.password),
                  },
                },
                { parent: this },
              ),
            );
      const declaration = {
        kind: "Registry",
        name: registry.name,
        spec: specOf(registry, namespace),
      } as const;
      declare(this, `${name}-${registry.name}`, declaration, args.labels, opts.transform?.registry, {
        ...(secret === undefined ? {} : { dependsOn: [secret] }),
      });
    }
    this.registerOutputs({});
  }
}

/** All that is wrong with a list of registries. */
export function registryProblems(registries: readonly RegistryArgs[]): Problem[] {
  return [
    ...nameProblems(
      "registries",
      registries.map(({ name }) => name),
    ),
    ...registries.flatMap((registry, index) =>
      specProblems("Registry", `registries[${index}]`, specOf(registry, SYSTEM_NAMESPACE)),
    ),
  ];
}

/** The spec as it is declared: the credentials are named, never given. */
function specOf(
  { name, credentials, ...rest }: RegistryArgs,
  namespace: pulumi.Input<string>,
): Record<string, unknown> {
  const { provider, endpoint, ecr, serviceAccounts, ...unknown } = rest;
  return {
    provider,
    endpoint,
    ...(ecr === undefined ? {} : { ecr }),
    ...(serviceAccounts === undefined ? {} : { serviceAccounts }),
    ...(credentials === undefined ? {} : { credentials: { name: secretName(name), namespace } }),
    // What is none of these is refused by name.
    ...unknown,
  };
}

function secretName(registry: string): string {
  return `registry-${registry}`;
}

/** The arguments as they may be seen in the state and by policies. */
function shown({ registries, ...rest }: RegistriesArgs): object {
  return { ...rest, registries: registries.map((registry) => without(registry, "credentials")) };
}
