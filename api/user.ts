// The kind User: a person with a login on nodes.
import { z } from "zod";
import { FULL_NAME, LOGIN_NAME, RESERVED_LOGINS } from "./login-name";
import { commonStatus } from "./schema/condition";
import { defineKind, type ObjectOf, type SpecInputOf } from "./schema/kind";
import { mapOf, setOf } from "./schema/list";
import { celList, withRule } from "./schema/rule";
import { timestamp, recordedTimestamp, teamName, text, textLike } from "./schema/text";
import { sshPublicKey } from "./ssh-key";

const sshKey = z.strictObject({
  key: sshPublicKey().describe(
    "The public key, one line as in a `.pub` file. Ed25519, ECDSA, their hardware-backed forms, or RSA of 3072 bits and more.",
  ),
  name: textLike(
    63,
    "[A-Za-z0-9](?:[A-Za-z0-9 ._@-]*[A-Za-z0-9])?",
    `the key's name must consist of letters, digits, spaces, ".", "_", "@" and "-", beginning and ending with a letter or digit`,
  )
    .optional()
    .describe("What a person calls the key, such as `laptop`."),
  notAfter: timestamp()
    .optional()
    .describe("The time from which the key no longer opens anything, as RFC 3339 writes it."),
});

const sshKeys = withRule(mapOf(sshKey, "key", 32), {
  cel: `[self.map(k, k.key.find(r" [^ ]+"))].all(words, words.all(w, words.exists_one(other, other == w)))`,
  holds: (keys) => {
    const words = keys.map(({ key }) => / [^ ]+/.exec(key)?.[0] ?? "");
    return new Set(words).size === words.length;
  },
  message: "the same key must not be given twice, not even with another comment: remove one of the two",
});

/** The kind `User`: a person who may log in to nodes. */
export const user = defineKind({
  kind: "User",
  plural: "users",
  shortNames: ["fwuser"],
  summary: "A person who may log in to every node by SSH.",
  details: [
    "The agent on each node gives the person an account of their own, without a password, whose `authorized_keys` holds exactly these keys. The account goes when the User goes.",
    "Accounts that exist already and are not the product's are never touched: the User then gets a condition that says so, and `status.failures` names the node.",
    "When the User goes, the account, its keys and its sudo rule go with it and its processes are ended. The home folder stays, closed to all but root, and opens again if a User with the same login name comes back.",
  ],
  spec: z.strictObject({
    name: withRule(
      textLike(
        31,
        LOGIN_NAME,
        `a login name must begin with a letter and consist of at most 31 characters a-z, 0-9 and "-"`,
      ),
      {
        cel: `!(self in ${celList(RESERVED_LOGINS)})`,
        holds: (name) => !RESERVED_LOGINS.includes(name),
        message: "this login name is reserved for an account of the system: choose another",
      },
    ).describe("The login name. It cannot be changed: make a new User instead."),
    sshKeys: sshKeys.default([]).describe("The keys that open the account. Without any, nobody can log in."),
    sudo: z
      .boolean()
      .default(false)
      .describe("Whether the person may become root by `sudo`, without a password."),
    teams: setOf(teamName(), 32)
      .default([])
      .describe("The teams the person is in; an AuthorizationRoleBinding can name a team."),
    fullName: textLike(
      127,
      FULL_NAME,
      `the full name must not hold control characters, ":", "," or "=", which mean something in the password file`,
    )
      .optional()
      .describe("The person's name, shown on nodes."),
  }),
  changes: [
    {
      cel: "self.name == oldSelf.name",
      holds: (spec, before) => spec.name === before.name,
      message:
        "a login name cannot be changed, because files on nodes belong to it: make a new User and delete this one",
      field: "name",
    },
  ],
  status: z.strictObject({
    ...commonStatus(),
    keys: z.int().min(0).optional().describe("How many keys are in force."),
    nextExpiry: recordedTimestamp().optional().describe("When the next key expires."),
    failures: mapOf(
      z.strictObject({
        node: text(253).describe("The node."),
        reason: text(128).describe("Why, as one word."),
        message: text(1024, 0).describe("Why, as a sentence."),
      }),
      "node",
      256,
    )
      .optional()
      .describe("The nodes on which the account is not in place, and why; of many, the first that said so."),
  }),
  columns: [
    { name: "Login", type: "string", jsonPath: ".spec.name", description: "The login name." },
    {
      name: "Sudo",
      type: "boolean",
      jsonPath: ".spec.sudo",
      description: "Whether the person may become root.",
    },
    { name: "Keys", type: "integer", jsonPath: ".status.keys", description: "Keys in force." },
    {
      name: "Ready",
      type: "string",
      jsonPath: ".status.conditions[?(@.type=='Ready')].status",
      description: "Whether the User is in order and no node has refused the account.",
    },
    {
      name: "Next Expiry",
      type: "string",
      jsonPath: ".status.nextExpiry",
      description: "When the next key expires.",
      wide: true,
    },
    {
      name: "Teams",
      type: "string",
      jsonPath: ".spec.teams",
      description: "The person's teams.",
      wide: true,
    },
  ],
  example: {
    metadata: { name: "jane" },
    spec: {
      name: "jane",
      fullName: "Jane Doe",
      sudo: true,
      teams: ["platform"],
      sshKeys: [
        {
          name: "laptop",
          key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOwFe5W87Abu/SaapW03X4r98zjxPnQepO97fEkQsbeN jane@laptop",
          notAfter: "2030-01-01T00:00:00Z",
        },
      ],
    },
  },
});

/** A person who may log in to every node by SSH. */
export type User = ObjectOf<typeof user>;
/** The spec of a {@link User} as it is written. */
export type UserSpecInput = SpecInputOf<typeof user>;
