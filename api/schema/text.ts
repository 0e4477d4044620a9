import { z } from "zod";
import { matching, withRule } from "./rule";

const dnsLabel = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?";
const dnsSubdomain = `${dnsLabel}(?:\\.${dnsLabel})*`;
const labelName = "[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?";

/** The source of a regular expression for label keys, prefix included. */
export const LABEL_KEY = `(?:${dnsSubdomain}/)?${labelName}`;
/** The source of a regular expression for label values, which may be empty. */
export const LABEL_VALUE = `(?:${labelName})?`;
/** The source of a regular expression for `host` or `host:port` in lower case. */
export const HOST_AND_PORT = `${dnsSubdomain}(?::[1-9][0-9]{0,4})?`;

/** Text of a bounded length. */
export function text(max: number, min = 1): z.ZodString {
  const bounded = z.string().max(max);
  return min > 0 ? bounded.min(min) : bounded;
}

/** Text of a bounded length in a form; the message says the rule and the fix. */
export function textLike(max: number, source: string, message: string): z.ZodString {
  return withRule(text(max), matching(source, message));
}

/** A name of a namespace and of most things in one. */
export function dnsLabelName(what: string): z.ZodString {
  return textLike(
    63,
    dnsLabel,
    `${what} must be a DNS label: use a-z, 0-9 and "-", beginning and ending with a letter or digit`,
  );
}

/** A name of a cluster-scoped object, a Secret or a ConfigMap. */
export function objectName(what: string): z.ZodString {
  return textLike(
    253,
    dnsSubdomain,
    `${what} must be an object's name: use a-z, 0-9, "-" and ".", beginning and ending with a letter or digit`,
  );
}

/** The part of a label key after the prefix. The prefix itself is ours. */
export function labelNamePart(prefix: string): z.ZodString {
  return textLike(
    63,
    labelName,
    `the label's key must be a label name without prefix, because ${prefix} is put before it: ` +
      `use letters, digits, "-", "_" and ".", beginning and ending with a letter or digit`,
  );
}

/** A label's value; empty is allowed. */
export function labelValue(): z.ZodString {
  return withRule(
    text(63, 0),
    matching(
      LABEL_VALUE,
      `the label's value must be empty or at most 63 letters, digits, "-", "_" and ".", beginning and ending with a letter or digit`,
    ),
  );
}

/** A team's name, the same wherever a team is named. */
export function teamName(): z.ZodString {
  return dnsLabelName("a team's name");
}

const days =
  "(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8])";
const leapYear = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)";
const clock = "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:[.][0-9]{1,9})?";
const zone = "(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])";
const TIMESTAMP = `(?:[0-9]{4}-(?:${days})|${leapYear}-02-29)T${clock}${zone}`;

// Not `format: date-time`: the API server takes a list for a text wherever a text has a format, and stores it.
/** A time that a person writes. */
export function timestamp(): z.ZodString {
  return textLike(
    40,
    TIMESTAMP,
    "the time must be one as RFC 3339 writes it, with seconds and zone: such as 2030-01-31T00:00:00Z",
  );
}

/** The pattern of {@link recordedTimestamp}. */
export const TIMESTAMP_PATTERN = `^(?:${TIMESTAMP})$`;

/** A time that a program writes: a pattern, because CEL rules on thousands of them would cost too much. */
export function recordedTimestamp(): z.ZodString {
  return text(40).regex(new RegExp(TIMESTAMP_PATTERN));
}

/** A URL that can be fetched by anyone who knows the digest of what it gives. */
export function downloadUrl(): z.ZodString {
  return textLike(
    2048,
    `https://${HOST_AND_PORT}/[A-Za-z0-9._~!$&()*+,;=:@%/-]+`,
    "the url must be https://host/path without user, password, query or fragment, which could hold a credential: give a plain address",
  );
}

/** The digest of what a URL gives. */
export function digest(): z.ZodString {
  return textLike(
    71,
    "sha256:[0-9a-f]{64}",
    "the digest must be sha256: and 64 hexadecimal digits in lower case: take it from sha256sum",
  );
}
