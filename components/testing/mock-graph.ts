import * as pulumi from "@pulumi/pulumi";
import { MockMonitor } from "@pulumi/pulumi/runtime/mocks";

const SECRET_KEY = "4dabf18193072939515e22adb298388d";
const SECRET_MARK = "1b47061264138c4ac30d75fd1eb44270";

/** A resource as it was asked of the engine. */
export interface RegisteredResource {
  readonly type: string;
  readonly name: string;
  readonly urn: string;
  readonly parent: string;
  /** With secrets in their wrapping. */
  readonly wrapped: Readonly<Record<string, unknown>>;
  /** With secrets laid open. */
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly isProtected: boolean;
  readonly isRetained: boolean;
  readonly deletesFirst: boolean;
  readonly dependencies: readonly string[];
  /** What each input was made from. */
  readonly propertyDependencies: Readonly<Record<string, readonly string[]>>;
  readonly ignoresChangesOf: readonly string[];
  readonly replacedOnChangesOf: readonly string[];
  readonly secretOutputs: readonly string[];
  readonly deletedWith: string;
}

/** The engine's request, as far as tests look at it. */
interface Request {
  getType(): string;
  getName(): string;
  getParent(): string;
  getProtect(): boolean;
  getRetainondelete(): boolean;
  getDeletebeforereplace(): boolean;
  getDependenciesList(): string[];
  getPropertydependenciesMap(): { toArray(): [string, string[][]][] };
  getIgnorechangesList(): string[];
  getReplaceonchangesList(): string[];
  getAdditionalsecretoutputsList(): string[];
  getDeletedwith(): string;
  getObject(): { toJavaScript(): Record<string, unknown> } | undefined;
}

/** For tests: what a program registers with the engine, with every provider answering with its inputs. */
export class MockGraph {
  readonly resources: RegisteredResource[] = [];
  readonly #calls: { token: string; args: unknown }[] = [];

  /** Runs a program to its end. */
  static async of(program: () => unknown, partition: Partition = AWS): Promise<MockGraph> {
    const graph = new MockGraph();
    // eslint-disable-next-line @typescript-eslint/unbound-method -- it is called on the monitor that it is taken from
    const register = MockMonitor.prototype.registerResource;
    MockMonitor.prototype.registerResource = async function (request: Request, callback) {
      graph.resources.push(registered(request));
      return register.call(this, request, callback);
    };
    try {
      await pulumi.runtime.setMocks(
        { newResource: answer, call: (args) => graph.#asked(args, partition) },
        "acme",
        "test",
        false,
      );
      const result = await program();
      if (result instanceof pulumi.ComponentResource) await settled(result);
      await pulumi.runtime.disconnect();
    } finally {
      MockMonitor.prototype.registerResource = register;
    }
    return graph;
  }

  /** The arguments with which a function was called. */
  calls(token: string): unknown[] {
    return this.#calls.filter((one) => one.token === token).map(({ args }) => args);
  }

  #asked(args: pulumi.runtime.MockCallArgs, partition: Partition): pulumi.runtime.MockCallResult {
    this.#calls.push({ token: args.token, args: args.inputs });
    return call(args, partition);
  }

  /** All of a type. */
  all(type: string): RegisteredResource[] {
    return this.resources.filter((resource) => resource.type === type);
  }

  /** The one with a type and name. */
  one(type: string, name: string): RegisteredResource {
    const found = this.all(type).filter((resource) => resource.name === name);
    const [only] = found;
    if (only === undefined || found.length > 1) {
      throw new Error(
        `${found.length} resources are ${type} ${name}; there are ${this.all(type)
          .map((r) => r.name)
          .join(", ")}`,
      );
    }
    return only;
  }
}

/** Whether a value, or anything in it, is a secret. */
export function isSecret(value: unknown): boolean {
  return typeof value === "object" && value !== null && Reflect.get(value, SECRET_KEY) === SECRET_MARK;
}

async function settled(component: pulumi.ComponentResource): Promise<void> {
  const outputs = Object.values(component).filter((value) => pulumi.Output.isInstance(value));
  await Promise.all(outputs.map((output) => new Promise((resolve) => output.apply(resolve))));
}

function registered(request: Request): RegisteredResource {
  const wrapped = request.getObject()?.toJavaScript() ?? {};
  return {
    type: request.getType(),
    name: request.getName(),
    urn: urnOf(request),
    parent: request.getParent(),
    wrapped,
    inputs: open(wrapped) as Record<string, unknown>,
    isProtected: request.getProtect(),
    isRetained: request.getRetainondelete(),
    deletesFirst: request.getDeletebeforereplace(),
    dependencies: request.getDependenciesList(),
    propertyDependencies: Object.fromEntries(
      request
        .getPropertydependenciesMap()
        .toArray()
        .map(([property, [urns]]) => [property, urns ?? []]),
    ),
    ignoresChangesOf: request.getIgnorechangesList(),
    replacedOnChangesOf: request.getReplaceonchangesList(),
    secretOutputs: request.getAdditionalsecretoutputsList(),
    deletedWith: request.getDeletedwith(),
  };
}

function urnOf(request: Request): string {
  const parent = request.getParent();
  // The mocks name the type of the direct parent only.
  const type = parent.split("::")[2]?.split("$").at(-1) ?? "";
  const prefix = type === "" || type === "pulumi:pulumi:Stack" ? "" : `${type}$`;
  return `urn:pulumi:test::acme::${prefix}${request.getType()}::${request.getName()}`;
}

function open(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(open);
  if (typeof value !== "object" || value === null) return value;
  if (isSecret(value)) return open(Reflect.get(value, "value"));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, open(member)]));
}

const KUBECONFIG = `clusters: [{name: default, cluster: {server: "https://127.0.0.1:6443", certificate-authority-data: Q0E=}}]
users: [{name: default, user: {client-certificate-data: Y2VydA==, client-key-data: a2V5}}]
`;

/** What every provider answers: the inputs, and made-up values for what it would choose. */
function answer({ type, name, inputs }: pulumi.runtime.MockResourceArgs): pulumi.runtime.MockResourceResult {
  const given = inputs as Record<string, unknown>;
  const chosen: Record<string, unknown> = {
    arn: `arn:aws:mock:::${name}`,
    name: given.name ?? name,
    dnsName: `${name}.example`,
    endpoint: "https://eks.example",
    certificateAuthority: { data: "Q0E=" },
    privateIp: "10.9.9.9",
    latestVersion: 1,
    publicKeyOpenssh: `ssh-ed25519 ${name}\n`,
    privateKeyOpenssh: `-----BEGIN OPENSSH PRIVATE KEY-----\n${name}\n-----END OPENSSH PRIVATE KEY-----\n`,
    privateKeyPem: `-----BEGIN PRIVATE KEY-----\n${name}\n-----END PRIVATE KEY-----\n`,
    publicKeyPem: `-----BEGIN PUBLIC KEY-----\n${name}\n-----END PUBLIC KEY-----\n`,
    certPem: `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n`,
    certRequestPem: `-----BEGIN CERTIFICATE REQUEST-----\n${name}\n-----END CERTIFICATE REQUEST-----\n`,
  };
  if (type === "command:remote:Command") {
    chosen.stdout = name.endsWith("ca-digest")
      ? `K10${"ab".repeat(32)}`
      : name.endsWith("kubeconfig")
        ? KUBECONFIG
        : "";
  }
  return { id: `${name}-id`, state: { ...chosen, ...given } };
}

/** What `getPartition` says. */
interface Partition {
  partition: string;
  dnsSuffix: string;
  reverseDnsPrefix: string;
}

const AWS: Partition = { partition: "aws", dnsSuffix: "amazonaws.com", reverseDnsPrefix: "com.amazonaws" };

function call(
  { token, inputs }: pulumi.runtime.MockCallArgs,
  partition: Partition,
): pulumi.runtime.MockCallResult {
  const answers: Record<string, Record<string, unknown>> = {
    "aws:index/getRegion:getRegion": { region: "eu-central-1" },
    "aws:index/getPartition:getPartition": { ...partition },
    "aws:index/getAvailabilityZones:getAvailabilityZones": {
      names: ["eu-central-1a", "eu-central-1b", "eu-central-1c"],
    },
    "aws:ec2/getAmi:getAmi": { id: "ami-newest", rootDeviceName: "/dev/xvda" },
    "aws:eks/getAddonVersion:getAddonVersion": {
      version: `for-${String((inputs as { kubernetesVersion?: string }).kubernetesVersion)}`,
    },
    "tls:index/getPublicKey:getPublicKey": { publicKeyOpenssh: "ssh-ed25519 login\n" },
  };
  return { ...(inputs as Record<string, unknown>), ...answers[token] };
}
