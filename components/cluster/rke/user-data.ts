import { ASK_AWS, ASK_AWS_FILE } from "./scripts/ask-aws";
import { CIS_PREREQUISITES } from "./scripts/cis-prerequisites";
import { joinAgent, JOIN_SOURCE_FILE, JOIN_UNIT, type JoinSource } from "./scripts/join-agent";
import { LEAVE, LEAVE_FILE, LEAVE_UNIT } from "./scripts/leave-cluster";
import { assignments } from "./shell";
import { yaml } from "../yaml";

/** Who may log in to a node. */
export interface NodeLogin {
  readonly user: string;
  /** A line as in an authorized_keys file. */
  readonly publicKey: string;
}

/** A machine's own SSH key. */
export interface HostKey {
  readonly privateKey: string;
  readonly publicKey: string;
}

/**
 * User data of a server: who may log in, and the key by which it is known. It is small and never changes, because a change
 * replaces the machine; everything else comes later, over SSH.
 *
 * The host key is the one secret in it, and something has to be: without it the first login could not tell the server
 * from somebody in between, and over that login goes the join token. What it is good for is small: to pose as this node
 * to our own SSH client, on the way between the two. Who can read it: root on the node, who has it anyway; pods cannot,
 * because the metadata service answers over one hop only; and those who may call ec2:DescribeInstanceAttribute, who
 * should be as few as those who may read the stack's secrets. It is a secret in Pulumi's state. No token, no CA and no
 * login key is ever in user data.
 */
export function serverUserData(login: NodeLogin, hostKey: HostKey): string {
  return cloudConfig({
    ...access(login),
    ssh_deletekeys: true,
    ssh_keys: {
      ed25519_private: `${hostKey.privateKey.trim()}\n`,
      ed25519_public: hostKey.publicKey.trim(),
    },
  });
}

/**
 * User data of a pool's nodes: a program that fetches what it needs to join with the instance's role, and one that leaves
 * the cluster before the machine ends. Nobody has to log in to them, so they make host keys of their own. It does not change with version or settings: those are in the
 * parameter.
 */
export function agentUserData(login: NodeLogin, source: JoinSource): string {
  return cloudConfig({
    ...access(login),
    write_files: [
      {
        path: JOIN_SOURCE_FILE,
        permissions: "0644",
        content: `${assignments({
          REGION: source.region,
          ENDPOINT: source.endpoint,
          PARAMETER: source.parameter,
          GROUP_ENDPOINT: source.groupEndpoint,
          GROUP: source.group,
        })}${source.proxy ?? ""}`,
      },
      { path: ASK_AWS_FILE, permissions: "0755", content: ASK_AWS },
      {
        path: "/usr/local/sbin/fleetwright-join",
        permissions: "0755",
        content: joinAgent(CIS_PREREQUISITES),
      },
      { path: "/etc/systemd/system/fleetwright-join.service", permissions: "0644", content: JOIN_UNIT },
      { path: LEAVE_FILE, permissions: "0755", content: LEAVE },
      { path: "/etc/systemd/system/fleetwright-leave.service", permissions: "0644", content: LEAVE_UNIT },
    ],
    runcmd: [
      ["systemctl", "daemon-reload"],
      ["systemctl", "enable", "fleetwright-join.service", "fleetwright-leave.service"],
      ["systemctl", "--no-block", "start", "fleetwright-join.service", "fleetwright-leave.service"],
    ],
  });
}

/** A user of our own, the same on every image, instead of the image's. */
function access({ user, publicKey }: NodeLogin): object {
  return {
    users: [
      {
        name: user,
        shell: "/bin/bash",
        lock_passwd: true,
        sudo: "ALL=(ALL) NOPASSWD:ALL",
        ssh_authorized_keys: [publicKey.trim()],
      },
    ],
    disable_root: true,
    ssh_pwauth: false,
  };
}

/** What EC2 takes, before it is encoded. */
export const MAX_USER_DATA = 16 * 1024;

function cloudConfig(value: object): string {
  const text = `#cloud-config\n${yaml(value)}`;
  const length = Buffer.byteLength(text);
  if (length > MAX_USER_DATA) {
    throw new Error(
      `The user data of a node has ${length} bytes, and EC2 takes ${MAX_USER_DATA}. What varies in it is the login key, the login user, the names of project, stack and pool, and awsEndpoints: use an Ed25519 key, which is the shortest, or shorter names.`,
    );
  }
  return text;
}
