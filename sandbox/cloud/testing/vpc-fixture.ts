import { spawn, type ChildProcess } from "node:child_process";
import { rm } from "node:fs/promises";
import { basename } from "node:path";
import {
  AllocateAddressCommand,
  AssociateAddressCommand,
  AssociateRouteTableCommand,
  AttachInternetGatewayCommand,
  AuthorizeSecurityGroupIngressCommand,
  CreateInternetGatewayCommand,
  CreateNatGatewayCommand,
  CreateRouteCommand,
  CreateRouteTableCommand,
  CreateSecurityGroupCommand,
  CreateSubnetCommand,
  CreateVpcCommand,
  RunInstancesCommand,
  type CreateRouteCommandInput,
  type IpPermission,
} from "@aws-sdk/client-ec2";
import { waitFor } from "../../../lib/deadline";
import { Failure } from "../../../lib/failure";
import { clientsFor, type Clients } from "../../aws/clients";
import type { MachineHost } from "../../machines";
import { attempt } from "../../machines/command";
import { testCloudFolder } from "../../machines/testing/machine-host";
import { startCloud, type Cloud } from "../cloud";

const IMAGE = "ami-0f1ee75a4db0deb12";
/** How long a packet that nobody answers is waited for: long enough for a busy computer, and a second try of the kernel. */
const SILENCE_MS = 2_500;
const SETTLED_MS = 120_000;

/** Where a connection comes from, or a server is: an instance, or what is in no VPC. */
export type Place = "outside" | { id: string };

/** An instance of the fixture. */
export interface Host {
  id: string;
  ip: string;
}

/** For tests: a cloud and a VPC in it, made by calls of the AWS API. One subnet has a route to the internet, one to a NAT gateway. */
export class VpcFixture {
  readonly #servers: ChildProcess[] = [];

  private constructor(
    private readonly dir: string,
    readonly cloud: Cloud,
    readonly machineHost: MachineHost,
    readonly aws: Clients,
    readonly vpcId: string,
  ) {}

  publicSubnet = "";
  privateSubnet = "";
  /** The table of the private subnet, whose default route leads to the NAT gateway. */
  privateTable = "";
  natGateway = "";
  natAddress = "";

  static async open(): Promise<VpcFixture> {
    const dir = testCloudFolder();
    const cloud = await startCloud({ dir });
    const { machineHost, reason } = cloud;
    if (machineHost === undefined) throw new Failure(`there are no machines: ${reason ?? ""}`);
    const aws = clientsFor(cloud.aws.endpoint, cloud.aws.region);
    const { Vpc } = await aws.ec2.send(new CreateVpcCommand({ CidrBlock: "10.0.0.0/16" }));
    const fixture = new VpcFixture(dir, cloud, machineHost, aws, Vpc?.VpcId ?? "");
    await fixture.#connect();
    return fixture;
  }

  async #connect(): Promise<void> {
    const { ec2 } = this.aws;
    this.publicSubnet = await this.#subnet("10.0.1.0/24", "a");
    this.privateSubnet = await this.#subnet("10.0.2.0/24", "b");
    const { InternetGateway } = await ec2.send(new CreateInternetGatewayCommand({}));
    const gateway = { InternetGatewayId: InternetGateway?.InternetGatewayId ?? "" };
    await ec2.send(new AttachInternetGatewayCommand({ ...gateway, VpcId: this.vpcId }));
    await this.#table(this.publicSubnet, { GatewayId: gateway.InternetGatewayId });
    const { AllocationId, PublicIp = "" } = await ec2.send(new AllocateAddressCommand({ Domain: "vpc" }));
    const nat = new CreateNatGatewayCommand({ SubnetId: this.publicSubnet, AllocationId });
    this.natGateway = (await ec2.send(nat)).NatGateway?.NatGatewayId ?? "";
    this.natAddress = PublicIp;
    this.privateTable = await this.#table(this.privateSubnet, { NatGatewayId: this.natGateway });
  }

  async #subnet(CidrBlock: string, zone: string): Promise<string> {
    const AvailabilityZone = `${this.cloud.aws.region}${zone}`;
    const made = new CreateSubnetCommand({ VpcId: this.vpcId, CidrBlock, AvailabilityZone });
    return (await this.aws.ec2.send(made)).Subnet?.SubnetId ?? "";
  }

  async #table(SubnetId: string, target: Partial<CreateRouteCommandInput>): Promise<string> {
    const { ec2 } = this.aws;
    const { RouteTable } = await ec2.send(new CreateRouteTableCommand({ VpcId: this.vpcId }));
    const RouteTableId = RouteTable?.RouteTableId ?? "";
    const out = { RouteTableId, DestinationCidrBlock: "0.0.0.0/0", ...target };
    await ec2.send(new CreateRouteCommand(out));
    await ec2.send(new AssociateRouteTableCommand({ RouteTableId, SubnetId }));
    return RouteTableId;
  }

  /** Makes a security group that lets in what is named, and everything out. */
  async group(GroupName: string, ingress: IpPermission[] = []): Promise<string> {
    const made = new CreateSecurityGroupCommand({ GroupName, Description: "test", VpcId: this.vpcId });
    const GroupId = (await this.aws.ec2.send(made)).GroupId ?? "";
    if (ingress.length > 0)
      await this.aws.ec2.send(new AuthorizeSecurityGroupIngressCommand({ GroupId, IpPermissions: ingress }));
    return GroupId;
  }

  /** Runs an instance and waits until its machine has a network. */
  async launch(SubnetId: string, group: string): Promise<Host> {
    const { Instances } = await this.aws.ec2.send(
      new RunInstancesCommand({
        ImageId: IMAGE,
        InstanceType: "t3.small",
        ...{ MinCount: 1, MaxCount: 1 },
        ...{ SubnetId, SecurityGroupIds: [group] },
      }),
    );
    const [{ InstanceId: id = "", PrivateIpAddress: ip = "" } = {}] = Instances ?? [];
    await waitFor(
      `the machine of ${id}`,
      async () => (await this.machineHost.list()).some((one) => one.id === id && one.state === "running"),
      { timeoutMs: SETTLED_MS },
    );
    return { id, ip };
  }

  /** Gives an instance an elastic address. */
  async associate(InstanceId: string): Promise<{ ip: string; association: string }> {
    const { ec2 } = this.aws;
    const { AllocationId, PublicIp = "" } = await ec2.send(new AllocateAddressCommand({ Domain: "vpc" }));
    const { AssociationId = "" } = await ec2.send(new AssociateAddressCommand({ AllocationId, InstanceId }));
    return { ip: PublicIp, association: AssociationId };
  }

  /** Answers at a port of a place with the address that the client has there. */
  async serve(place: Place, port: number): Promise<void> {
    const program = `require("net").createServer(s=>s.on("error",()=>{}).end(s.remoteAddress.replace("::ffff:",""))).listen(${port})`;
    const [command = "", ...args] = this.#at(place, [process.execPath, "-e", program]);
    this.#servers.push(spawn(command, args, { stdio: "ignore" }));
    await waitFor(
      `a server at port ${port}`,
      async () => (await this.seenAs(place, "127.0.0.1", port)) !== "",
      {
        timeoutMs: SETTLED_MS,
      },
    );
  }

  /** The address under which a server sees whoever connects to it; empty where no connection is made. */
  async seenAs(from: Place, address: string, port: number): Promise<string> {
    const program = `const s=require("net").connect(${port},${JSON.stringify(address)});s.pipe(process.stdout);s.on("error",()=>process.exit(1));s.on("end",()=>process.exit(0));setTimeout(()=>process.exit(2),${SILENCE_MS})`;
    return (await attempt(this.#at(from, [process.execPath, "-e", program]))).stdout;
  }

  /** Waits until a connection is seen so; the firewall follows the API a little later. */
  async becomes(wanted: string, from: Place, address: string, port: number): Promise<void> {
    await waitFor(
      `a connection to ${address}:${port} to be seen as ${JSON.stringify(wanted)}`,
      async () => {
        const found = await this.seenAs(from, address, port);
        return found === wanted || JSON.stringify(found);
      },
      { timeoutMs: SETTLED_MS },
    );
  }

  /** Ends everything and removes every trace. */
  async close(): Promise<void> {
    for (const server of this.#servers) server.kill("SIGKILL");
    this.aws.close();
    await this.cloud.stop();
    await rm(this.dir, { recursive: true, force: true });
  }

  #at(place: Place, argv: readonly string[]): string[] {
    if (place === "outside") return this.machineHost.outside(argv);
    return ["ip", "netns", "exec", `${basename(this.machineHost.namespace)}.${place.id}`, ...argv];
  }
}
