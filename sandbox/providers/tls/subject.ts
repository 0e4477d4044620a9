import { isIP } from "node:net";
import type { JsonAttributeObject, JsonGeneralNames, JsonNameParams } from "@peculiar/x509";
import type { input } from "@pulumi/tls/types";
import { list, type Members, type CheckFailure, shape, text } from "../shell/kind";
import type { Plain } from "../shell/wire";

/** The distinguished name of a certificate or request, as the SDK writes it. */
export type Subject = Plain<input.SelfSignedCertSubject>;

const members: Members<Subject> = {
  commonName: { kind: text },
  country: { kind: text },
  emailAddress: { kind: text },
  locality: { kind: text },
  organization: { kind: text },
  organizationalUnit: { kind: text },
  postalCode: { kind: text },
  province: { kind: text },
  serialNumber: { kind: text },
  streetAddresses: { kind: list(text) },
};

export const subjectKind = shape<Subject>(members);

// The order in which the official provider writes the parts.
const PARTS: readonly (readonly [property: keyof Subject, type: string])[] = [
  ["country", "C"],
  ["organization", "O"],
  ["organizationalUnit", "OU"],
  ["locality", "L"],
  ["province", "ST"],
  ["streetAddresses", "2.5.4.9"],
  ["postalCode", "2.5.4.17"],
  ["commonName", "CN"],
  ["serialNumber", "2.5.4.5"],
  ["emailAddress", "E"],
];

/** The parts of a distinguished name in order. */
export function distinguishedName(subject: Subject = {}): JsonNameParams {
  return PARTS.flatMap(([property, type]) => {
    const values = [subject[property] ?? []].flat().filter((value) => value !== "");
    return values.length === 0 ? [] : [{ [type]: values.map((value) => encoded(type, value)) }];
  });
}

// The library would read quotes and backslashes in a plain string as its own syntax.
function encoded(type: string, value: string): JsonAttributeObject {
  if (type === "E") return { ia5String: value };
  return /^[A-Za-z0-9 '()+,\-./:=?]*$/.test(value) ? { printableString: value } : { utf8String: value };
}

/** The names by which a certificate's owner is reached, beside the distinguished one. */
export interface AlternativeNames {
  readonly dnsNames?: readonly string[] | undefined;
  readonly ipAddresses?: readonly string[] | undefined;
  readonly uris?: readonly string[] | undefined;
}

/** The alternative names in the form of the extension. */
export function generalNames({ dnsNames, ipAddresses, uris }: AlternativeNames): JsonGeneralNames {
  return [
    ...(dnsNames ?? []).map((value) => ({ type: "dns" as const, value })),
    ...(ipAddresses ?? []).map((value) => ({ type: "ip" as const, value })),
    ...(uris ?? []).map((value) => ({ type: "url" as const, value })),
  ];
}

/** What is wrong with alternative names. */
export function nameFailures({ ipAddresses, uris }: AlternativeNames): CheckFailure[] {
  const wrong = (
    property: string,
    values: readonly string[] | undefined,
    fits: (value: string) => boolean,
    what: string,
  ) =>
    (values ?? []).flatMap((value, index) =>
      fits(value)
        ? []
        : [{ property: `${property}[${index}]`, reason: `must be ${what}, but is "${value}"` }],
    );
  return [
    ...wrong("ipAddresses", ipAddresses, (value) => isIP(value) !== 0, "an IPv4 or IPv6 address"),
    ...wrong(
      "uris",
      uris,
      (value) => URL.canParse(value),
      'a URI with a scheme such as "spiffe://host/path"',
    ),
  ];
}
