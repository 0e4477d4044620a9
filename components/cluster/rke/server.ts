// The component of one server: an instance that can be replaced, with a volume and an address that stay.
import * as aws from "@pulumi/aws";
import { remote } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import * as tls from "@pulumi/tls";
import type { NodeImage } from "./machine-image";
import type { LoginSettings } from "./schema";
import { connectionTo } from "./ssh-login";
import { bindState } from "./scripts/bind-state";
import { prepareVolume } from "./scripts/prepare-volume";
import { waitForBoot } from "./scripts/wait-for-boot";
import { asRoot } from "./shell";
import type { StateVolume } from "./state-volume";
import { type Transform, transformed } from "../../transform";
import { serverUserData } from "./user-data";

/** The arguments of `Server`. */
export interface ServerArgs {
  /** The cluster's name. */
  cluster: string;
  /** Whose the state volume is: project, stack and cluster. */
  owner: string;
  /** @example "server-0" */
  member: string;
  state: StateVolume;
  image: NodeImage;
  instanceType: string;
  instanceProfile: pulumi.Input<string>;
  login: LoginSettings;
  /** The public half of the login key. */
  publicKey: pulumi.Input<string>;
  /** Whether a blank state volume may be formatted when it is seen for the first time. */
  format: boolean;
  /** Whether this server may found the cluster. */
  found: boolean;
  /** Whether the state volume may be a copy when it is seen for the first time. */
  copy: boolean;
  /** Shell lines that run as root when the state volume is used for the first time. @default none */
  onFirstUse?: pulumi.Input<string>;
  /** What has to be well before this server is touched: the server before it. */
  after: pulumi.Resource[];
  /** In GiB. @default 40 */
  rootVolumeSize?: number;
  /** Tags for everything. @default {} */
  tags?: Record<string, string>;
  /** Overrides for the children. @default none */
  transform?: ServerTransforms;
}

/** Overrides for the children of `Server`. */
export interface ServerTransforms {
  instance?: Transform<aws.ec2.InstanceArgs>;
  volumeAttachment?: Transform<aws.ec2.VolumeAttachmentArgs>;
}

/**
 * One machine that is a member of a cluster: an instance with the member's interface and state volume, reached over SSH
 * by a host key that is known beforehand. What runs on it is not its business.
 *
 * A change that needs another machine stops and deletes this one first (volume and address can be in one place only), and
 * waits for the servers in `after`: so at most one member of a cluster is ever away.
 */
export class Server extends pulumi.ComponentResource {
  /** The cluster's name. */
  readonly cluster: string;
  readonly instanceId: pulumi.Output<string>;
  readonly stateVolumeId: pulumi.Output<string>;
  readonly address: pulumi.Output<string>;
  readonly hostKey: pulumi.Output<string>;
  /** The state volume is mounted when this is there. */
  readonly ready: remote.Command;

  readonly #name: string;
  readonly #args: ServerArgs;

  constructor(name: string, args: ServerArgs, opts: pulumi.ComponentResourceOptions = {}) {
    super("fleetwright:index:Server", name, {}, opts);
    this.#name = name;
    this.#args = args;
    this.cluster = args.cluster;
    const key = new tls.PrivateKey(
      `${name}-host-key`,
      { algorithm: "ED25519" },
      { parent: this, additionalSecretOutputs: ["privateKeyOpenssh", "privateKeyPem", "privateKeyPemPkcs8"] },
    );
    this.hostKey = key.publicKeyOpenssh.apply((text) => text.trim());
    this.address = args.state.address;
    this.stateVolumeId = args.state.volumeId;
    const { instance, attachment } = this.#machine(key, args.transform ?? {});
    this.instanceId = instance.id;
    const booted = this.command("booted", asRoot(waitForBoot()), {
      triggers: [instance.id],
      // Machines take their time to boot, and the dial is what waits for them.
      dialErrorLimit: -1,
      dependsOn: [instance],
      timeout: "10m",
    });
    const volume = this.#firstUse(booted, attachment);
    this.ready = this.#mounted(instance, [volume, attachment]);
    this.registerOutputs({ instanceId: this.instanceId, address: this.address, hostKey: this.hostKey });
  }

  /** A command on this server. */
  command(
    own: string,
    create: pulumi.Input<string> | undefined,
    settings: {
      triggers: pulumi.Input<pulumi.Input<string | number>[]>;
      dependsOn: pulumi.Resource[];
      stdin?: pulumi.Input<string>;
      delete?: pulumi.Input<string>;
      timeout?: string;
      dialErrorLimit?: number;
      /** Whether what it prints may be shown. @default true */
      shows?: boolean;
      opts?: pulumi.CustomResourceOptions;
    },
  ): remote.Command {
    const { login } = this.#args;
    const limit = settings.timeout ?? "30m";
    return new remote.Command(
      `${this.#name}-${own}`,
      {
        connection: connectionTo(this.address, this.hostKey, login, settings.dialErrorLimit),
        triggers: settings.triggers,
        // What a command printed the last time is nothing to it, and would have to pass through the SSH server's filter.
        addPreviousOutputInEnv: false,
        logging: settings.shows === false ? remote.Logging.Stderr : remote.Logging.StdoutAndStderr,
        ...(create === undefined ? {} : { create }),
        ...(settings.stdin === undefined ? {} : { stdin: pulumi.secret(settings.stdin) }),
        ...(settings.delete === undefined ? {} : { delete: settings.delete }),
      },
      pulumi.mergeOptions(
        {
          parent: this,
          dependsOn: settings.dependsOn,
          customTimeouts: { create: limit, update: limit },
          ...(settings.shows === false ? { additionalSecretOutputs: ["stdout"] } : {}),
        },
        settings.opts ?? {},
      ),
    );
  }

  #machine(
    key: tls.PrivateKey,
    transform: ServerTransforms,
  ): { instance: aws.ec2.Instance; attachment: aws.ec2.VolumeAttachment } {
    const { state, login, publicKey, after, tags } = this.#args;
    const name = this.#name;
    const userData = pulumi
      .all([publicKey, key.privateKeyOpenssh, this.hostKey])
      .apply(([loginKey, privateKey, hostKey]) =>
        serverUserData({ user: login.user, publicKey: loginKey }, { privateKey, publicKey: hostKey }),
      );
    const instance = new aws.ec2.Instance(
      ...transformed<aws.ec2.InstanceArgs>(
        transform.instance,
        `${name}-instance`,
        {
          ami: this.#args.image.id,
          instanceType: this.#args.instanceType,
          iamInstanceProfile: this.#args.instanceProfile,
          primaryNetworkInterface: { networkInterfaceId: state.networkInterfaceId },
          metadataOptions: {
            httpEndpoint: "enabled",
            httpTokens: "required",
            // One hop: pods with a network of their own cannot take on the node's role.
            httpPutResponseHopLimit: 1,
            instanceMetadataTags: "disabled",
          },
          rootBlockDevice: {
            encrypted: true,
            volumeType: "gp3",
            volumeSize: this.#args.rootVolumeSize ?? 40,
            deleteOnTermination: true,
          },
          userData: pulumi.secret(userData),
          // cloud-init would not look at changed user data again on the same machine.
          userDataReplaceOnChange: true,
          tags: { ...tags, Name: name, "fleetwright.dev/member": this.#args.member },
        },
        {
          parent: this,
          deleteBeforeReplace: true,
          ignoreChanges: this.#args.image.isPinned ? [] : ["ami"],
          // In place it would only be stopped and started again, with nobody waiting until it is well before the next one.
          replaceOnChanges: ["instanceType"],
          dependsOn: after,
        },
      ),
    );
    const attachment = new aws.ec2.VolumeAttachment(
      ...transformed<aws.ec2.VolumeAttachmentArgs>(
        transform.volumeAttachment,
        `${name}-state`,
        {
          instanceId: instance.id,
          volumeId: state.volumeId,
          deviceName: "/dev/sdf",
          // The machine shuts down in order and unmounts; a volume is never torn away.
          stopInstanceBeforeDetaching: true,
        },
        { parent: this, deleteBeforeReplace: true },
      ),
    );
    return { instance, attachment };
  }

  /**
   * Looks at the state volume for the first time. This happens once in a volume's life and not once in a machine's, and
   * what was allowed then counts only then: so permission to format is used up, even where it stays in the settings.
   */
  #firstUse(booted: remote.Command, attachment: aws.ec2.VolumeAttachment): remote.Command {
    const { owner, member, format, found, copy, state, onFirstUse = "" } = this.#args;
    const create = pulumi
      .all([state.volumeId, onFirstUse])
      .apply(([volume, more]) =>
        asRoot(`${prepareVolume({ volume, cluster: owner, member, format, found, copy })}\n${more}`),
      );
    return this.command("volume", create, {
      triggers: [state.volumeId],
      dependsOn: [booted, attachment],
      timeout: "10m",
      opts: { ignoreChanges: ["create", "connection", "logging"] },
    });
  }

  /** Mounts the volume on each new machine, and grows its file system with it. */
  #mounted(instance: aws.ec2.Instance, dependsOn: pulumi.Resource[]): remote.Command {
    const { owner, member, state } = this.#args;
    const create = state.volumeId.apply((volume) => {
      const known = { volume, cluster: owner, member, format: false, found: false, copy: false };
      return asRoot(`${prepareVolume(known)}\n${bindState()}`);
    });
    return this.command("mounted", create, {
      triggers: [instance.id, state.size],
      dependsOn,
      timeout: "10m",
    });
  }
}
