import { Failure } from "../../../../lib/failure";

/** A member of an etcd cluster, as etcd lists it. A member that never started has no name. */
export interface Member {
  id: string;
  name: string;
  peerUrls: readonly string[];
  clientUrls: readonly string[];
  learner: boolean;
}

/** Who this server is for etcd: its name and its peer URL together, and neither alone. */
export interface MemberIdentity {
  name: string;
  nodeName: string;
  peerUrl: string;
}

/** How etcd is to be started. */
export type MemberPlan =
  { kind: "new"; cluster: string } | { kind: "existing" } | { kind: "join"; cluster: string; add: boolean };

/** The condition of a server's node that says whether its etcd votes, in RKE2's words. */
export function voterCondition(learner: boolean): Record<"type" | "status" | "reason" | "message", string> {
  return learner
    ? {
        type: "EtcdIsVoter",
        status: "False",
        reason: "MemberIsLearner",
        message: "Node has not been promoted to voting member of the etcd cluster",
      }
    : {
        type: "EtcdIsVoter",
        status: "True",
        reason: "MemberNotLearner",
        message: "Node is a voting member of the etcd cluster",
      };
}

/** A new name: the node's, and something that no earlier member of this node had. */
export function memberName(nodeName: string, suffix: string): string {
  return `${nodeName}-${suffix}`;
}

/**
 * Decides how etcd starts. What is on the disk comes first: a server with data is the member that it was, whatever
 * `server` says. Without data, `server` decides between joining and forming a new cluster.
 */
export function planMember(
  identity: MemberIdentity,
  found: { initialized: boolean; server?: string; members?: readonly Member[] },
): MemberPlan {
  if (found.initialized) return { kind: "existing" };
  if (found.server === undefined) return { kind: "new", cluster: `${identity.name}=${identity.peerUrl}` };
  const members = found.members ?? [];
  const address = hostOf(identity.peerUrl);
  // One that was added and never started has no name; if it has our address, it is us.
  const known = members.map((member) =>
    member.name === "" && member.peerUrls.some((url) => hostOf(url) === address)
      ? { ...member, name: identity.name }
      : member,
  );
  const twin = known.find(({ name }) => name !== identity.name && nodeNameOf(name) === identity.nodeName);
  if (twin !== undefined)
    throw new Failure(
      `duplicate node name found, please use a unique name for this node: the member ${twin.name} (${twin.peerUrls.join(", ")}) has the name ${identity.nodeName} already. Remove it first (kubectl delete node ${identity.nodeName}), or give its data back.`,
    );
  const isMember = known.some(
    ({ name, peerUrls }) => name === identity.name && peerUrls.some((url) => hostOf(url) === address),
  );
  const others = known.flatMap(({ name, peerUrls }) => peerUrls.map((url) => `${name}=${url}`));
  const cluster = isMember ? others : [...others, `${identity.name}=${identity.peerUrl}`];
  return { kind: "join", cluster: cluster.join(","), add: !isMember };
}

/** Refuses to run as a member that the cluster does not know under this name and peer URL. */
export function checkMembership(identity: MemberIdentity, members: readonly Member[]): void {
  const isMember = members.some(
    ({ name, peerUrls }) => name === identity.name && peerUrls.includes(identity.peerUrl),
  );
  if (isMember) return;
  const found = members.map(({ name, peerUrls }) => `${name}=${peerUrls[0] ?? ""}`);
  throw new Failure(
    `this server is a not a member of the etcd cluster. Found [${found.join(" ")}], expect: ${identity.name}=${hostOf(identity.peerUrl)}`,
  );
}

/** The part of a member's name before the last hyphen. */
export function nodeNameOf(name: string): string {
  const at = name.lastIndexOf("-");
  return at > 1 ? name.slice(0, at) : name;
}

function hostOf(url: string): string {
  return new URL(url).hostname;
}
