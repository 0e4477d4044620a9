import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { SYSTEM_NAMESPACE } from "../../api";
import { assertNoProblems } from "../problem";
import { transformed, withoutTransform, type Transform } from "../transform";
import type { RegistryArgs } from "./args";
import { declare, metadataOf, type DeclarationTransform, type Labels } from "./declaration";
import { registryProblems, registrySecretName, registrySpec, without } from "./problems";

/** The arguments of `Registries`. */
export interface RegistriesArgs {
  registries: RegistryArgs[];
  /** Where the Secrets go. @default "fleetwright-system" */
  namespace?: pulumi.Input<string>;
  /** Labels for every object. @default {} */
  labels?: Labels;
  /** Overrides for the children. @default none */
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
  constructor(name: string, args: RegistriesArgs, opts: pulumi.ComponentResourceOptions = {}) {
    assertNoProblems("registries", registryProblems(args.registries), opts.parent);
    super("fleetwright:index:Registries", name, visible(args), opts);
    const namespace = args.namespace ?? SYSTEM_NAMESPACE;
    for (const registry of args.registries) {
      const { credentials } = registry;
      const secret =
        credentials === undefined
          ? undefined
          : new kubernetes.core.v1.Secret(
              ...transformed<kubernetes.core.v1.SecretArgs>(
                args.transform?.secret,
                `${name}-${registry.name}-credentials`,
                {
                  metadata: { ...metadataOf(registrySecretName(registry.name), args.labels), namespace },
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
        spec: registrySpec(registry, namespace),
      } as const;
      declare(this, `${name}-${registry.name}`, declaration, args.labels, args.transform?.registry, {
        ...(secret === undefined ? {} : { dependsOn: [secret] }),
      });
    }
    this.registerOutputs({});
  }
}

/** The arguments as they may be seen in the state and by policies. */
function visible(args: RegistriesArgs): object {
  const { registries, ...rest } = withoutTransform(args);
  return { ...rest, registries: registries.map((registry) => without(registry, "credentials")) };
}
