import type { Refusal } from "./answer";
import type { Call } from "./call";
import { idsIn, namesIn } from "./ledger";

interface Hidden {
  callsLeft: number;
  until: number;
}

/** What EC2 says about an id that it does not know, by the id's prefix. */
const NOT_FOUND: Readonly<Record<string, { code: string; message: (id: string) => string }>> = {
  i: { code: "InvalidInstanceID.NotFound", message: (id) => `The instance ID '${id}' does not exist` },
  vol: { code: "InvalidVolume.NotFound", message: (id) => `The volume '${id}' does not exist.` },
  eni: {
    code: "InvalidNetworkInterfaceID.NotFound",
    message: (id) => `The networkInterface ID '${id}' does not exist`,
  },
  subnet: { code: "InvalidSubnetID.NotFound", message: (id) => `The subnet ID '${id}' does not exist` },
  vpc: { code: "InvalidVpcID.NotFound", message: (id) => `The vpc ID '${id}' does not exist` },
  sg: { code: "InvalidGroup.NotFound", message: (id) => `The security group '${id}' does not exist` },
  igw: {
    code: "InvalidInternetGatewayID.NotFound",
    message: (id) => `The internetGateway ID '${id}' does not exist`,
  },
  rtb: { code: "InvalidRouteTableID.NotFound", message: (id) => `The routeTable ID '${id}' does not exist` },
  nat: { code: "NatGatewayNotFound", message: (id) => `The Nat Gateway ${id} was not found` },
  eipalloc: {
    code: "InvalidAllocationID.NotFound",
    message: (id) => `The allocation ID '${id}' does not exist`,
  },
  lt: {
    code: "InvalidLaunchTemplateId.NotFound",
    message: (id) => `The specified launch template, with template ID ${id}, does not exist.`,
  },
};

/** Remembers what was made and is not to be found yet, as in a service whose parts learn of a change one by one. */
export class Visibility {
  readonly #hidden = new Map<string, Hidden>();

  constructor(readonly now: () => number) {}

  /** Hides what a call made. */
  hide(call: Call, answer: string, span: { calls: number; ms: number }): void {
    const named = new Set(namesIn(call));
    const made = call.service === "iam" ? [...named] : idsIn(answer).filter((id) => !named.has(id));
    for (const id of made) {
      this.#hidden.set(keyOf(call, id), { callsLeft: span.calls, until: this.now() + span.ms });
    }
  }

  /** The refusal for a call that names something that cannot be found yet. */
  check(call: Call): Refusal | undefined {
    if (this.#hidden.size === 0) return undefined;
    for (const id of namesIn(call)) {
      const key = keyOf(call, id);
      const hidden = this.#hidden.get(key);
      if (hidden === undefined) continue;
      if (hidden.callsLeft <= 0 || this.now() >= hidden.until) {
        this.#hidden.delete(key);
        continue;
      }
      hidden.callsLeft -= 1;
      const refusal = notFound(call, id);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }
}

// Names are only names within their service; ids of EC2 are known to others too.
function keyOf(call: Call, id: string): string {
  return call.service === "iam" ? `iam ${id}` : id;
}

function notFound(call: Call, id: string): Refusal | undefined {
  if (call.service === "iam") {
    return { code: "NoSuchEntity", message: `The entity with name ${id} cannot be found.`, status: 404 };
  }
  const found = NOT_FOUND[id.split("-")[0] ?? ""];
  return found === undefined ? undefined : { code: found.code, message: found.message(id) };
}
