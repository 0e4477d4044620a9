/** What the engine does to a resource. */
export type Operation = "create" | "read" | "update" | "delete";

/** The IAM actions that whoever runs the engine needs for one type, by operation. */
export type Permissions = Readonly<Record<Operation, readonly string[]>>;

/** Types that are needed together, and so get a policy together. */
export interface PermissionGroup {
  /** The heading of its section. */
  readonly title: string;
  /** When it is needed. */
  readonly needed: string;
  /** By the type's token, such as `aws:ec2/vpc:Vpc`. */
  readonly types: Readonly<Record<string, Permissions>>;
}

/**
 * Actions as they are read best: names of one service apart by spaces, with those of other services written in full, such as
 * `CreateFlowLogs iam:PassRole`.
 */
export function actionsOf(service: string, words: Readonly<Partial<Record<Operation, string>>>): Permissions {
  const list = (text = ""): string[] =>
    text
      .split(/\s+/)
      .filter((word) => word !== "")
      .map((word) => (word.includes(":") ? word : `${service}:${word}`));
  return {
    create: list(words.create),
    read: list(words.read),
    update: list(words.update),
    delete: list(words.delete),
  };
}

/** A type of EC2: all of them have tags, which are given with the creation and changed by two actions. */
export function ec2(words: Readonly<Partial<Record<Operation, string>>>): Permissions {
  return actionsOf("ec2", {
    ...words,
    create: `${words.create ?? ""} CreateTags`,
    update: `${words.update ?? ""} CreateTags DeleteTags`,
  });
}

/** A type of Elastic Load Balancing, with its tags. */
export function balancing(words: Readonly<Record<Operation, string>>): Permissions {
  return actionsOf("elasticloadbalancing", {
    ...words,
    create: `${words.create} AddTags`,
    read: `${words.read} DescribeTags`,
    update: `${words.update} AddTags RemoveTags`,
  });
}

/** A type of EKS, with its tags. */
export function eks(words: Readonly<Record<Operation, string>>): Permissions {
  return actionsOf("eks", {
    ...words,
    create: `${words.create} TagResource`,
    update: `${words.update} TagResource UntagResource`,
  });
}

/** Every action of a group, each once, in the order of the alphabet. */
export function allActions({ types }: Pick<PermissionGroup, "types">): string[] {
  const all = Object.values(types).flatMap((permissions) => Object.values(permissions).flat());
  return [...new Set(all)].sort();
}
