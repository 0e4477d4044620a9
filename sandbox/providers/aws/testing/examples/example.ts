import type { Plain } from "../../core/declaration";
import type { Values } from "../../core/value";
import type { AwsOperations } from "../../operations";

/** Something that an example needs to be there. */
export interface Made {
  readonly id: string;
  readonly state: Readonly<Record<string, unknown>>;
}

/** The cloud in which the examples live: what they need is made once, by the provider itself. */
export class ExampleDependencies {
  private readonly made = new Map<string, Promise<Made>>();

  constructor(
    readonly provider: AwsOperations,
    readonly region: string,
  ) {}

  /** The URN of a resource in the examples' stack. */
  urn(token: string, name: string): string {
    return `urn:pulumi:test::examples::${token}::${name}`;
  }

  /** Something that is made when it is first asked for. */
  need(token: string, name: string, inputs: Readonly<Record<string, unknown>>): Promise<Made> {
    const found = this.made.get(name);
    if (found !== undefined) return found;
    const urn = this.urn(token, name);
    const checked = this.provider.check({ urn, olds: {}, news: inputs, seed: new Uint8Array() });
    if (checked.failures.length > 0) throw new Error(JSON.stringify(checked.failures));
    const made = this.provider.create(urn, checked.inputs);
    this.made.set(name, made);
    return made;
  }

  /** The id of the VPC of most examples. */
  vpc = async (): Promise<string> =>
    (await this.need("aws:ec2/vpc:Vpc", "vpc", { cidrBlock: "10.7.0.0/16" })).id;

  /** The id of a subnet in the first, second or third zone. */
  subnet = async (index = 0): Promise<string> => {
    const inputs = {
      vpcId: await this.vpc(),
      cidrBlock: `10.7.${index}.0/24`,
      availabilityZone: `${this.region}${"abc"[index] ?? "a"}`,
    };
    return (await this.need("aws:ec2/subnet:Subnet", `subnet${index}`, inputs)).id;
  };

  /** The id of a security group. */
  group = async (name = "group"): Promise<string> =>
    (await this.need("aws:ec2/securityGroup:SecurityGroup", name, { vpcId: await this.vpc() })).id;

  /** A role that a service may take on. */
  role = async (name = "role"): Promise<Made> =>
    this.need("aws:iam/role:Role", name, { assumeRolePolicy: trust("ec2.amazonaws.com") });

  /** The id of an image to start instances from. */
  image = async (): Promise<string> =>
    String(
      (await this.provider.invoke("aws:ec2/getAmi:getAmi", { mostRecent: true, owners: ["amazon"] })).id,
    );

  /** An instance that other examples attach things to. */
  instance = async (name = "machine"): Promise<string> => {
    const inputs = { ami: await this.image(), instanceType: "t3.micro", subnetId: await this.subnet() };
    return (await this.need("aws:ec2/instance:Instance", name, inputs)).id;
  };

  /** A volume in the first zone. */
  volume = async (name = "disk"): Promise<string> =>
    (await this.need("aws:ebs/volume:Volume", name, { availabilityZone: `${this.region}a`, size: 1 })).id;
}

/** A trust policy for a service. */
export function trust(service: string): string {
  const Statement = [{ Effect: "Allow", Principal: { Service: service }, Action: "sts:AssumeRole" }];
  return JSON.stringify({ Version: "2012-10-17", Statement });
}

/** A policy that allows one action. */
export function allow(Action: string): string {
  return JSON.stringify({ Version: "2012-10-17", Statement: [{ Effect: "Allow", Action, Resource: "*" }] });
}

/** One resource type, alive: inputs that work and, for each property that can be changed in place, another value. */
export interface Example<Args> {
  readonly token: string;
  readonly inputs: (fixture: ExampleDependencies) => Promise<Plain<Args>> | Plain<Args>;
  /** Other values for properties; each must be an update. */
  readonly updates: (fixture: ExampleDependencies) => Promise<Partial<Plain<Args>>> | Partial<Plain<Args>>;
  /** Other values that must replace although the property can be updated in other cases. */
  readonly replaces?: (fixture: ExampleDependencies) => Promise<Partial<Plain<Args>>> | Partial<Plain<Args>>;
  /** Properties that cannot be changed here, each with the reason. */
  readonly fixed?: { readonly [K in keyof Args]?: string };
  /** What a person gives to `pulumi import`, where it is not the id. */
  readonly importId?: (id: string, state: Readonly<Record<string, unknown>>) => string;
  /** All updates go in one, because AWS takes them so seldom. */
  readonly together?: boolean;
  /** Why its tags cannot be changed here. */
  readonly untaggable?: string;
  /** It stays when it is deleted, as the official provider documents. */
  readonly stays?: boolean;
}

/** An example whose types the tests do not see. */
export interface AnyExample extends Pick<
  Example<object>,
  "token" | "importId" | "together" | "untaggable" | "stays"
> {
  readonly inputs: (fixture: ExampleDependencies) => Promise<Values> | Values;
  readonly updates: (fixture: ExampleDependencies) => Promise<Values> | Values;
  readonly replaces?: (fixture: ExampleDependencies) => Promise<Values> | Values;
  readonly fixed?: Readonly<Record<string, string | undefined>>;
}

/** Makes an example out of its typed form. */
export function example<Args>(typed: Example<Args>): AnyExample {
  return typed;
}
