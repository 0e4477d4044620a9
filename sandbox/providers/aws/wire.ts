import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { Bag } from "./engine/value";
import { definedBag, isBag, isList } from "./engine/value";

/** The key that marks an object as something other than its properties, and the mark of a secret. */
const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";

/**
 * The properties in a message. The engine keeps track of secrets itself (this provider says that it does not accept
 * them), but it still sends the settings with their marks, which are taken off here.
 */
export function fromWire(struct: Struct | undefined): Bag {
  const bag = struct === undefined ? {} : unwrapped(struct.toJavaScript());
  return isBag(bag) ? bag : {};
}

/** Properties as a message. */
export function toWire(bag: Bag): Struct {
  // Struct takes plain JSON values, which is all that a declaration can give.
  return Struct.fromJavaScript(definedBag(bag) as Parameters<typeof Struct.fromJavaScript>[0]);
}

function unwrapped(value: unknown): unknown {
  if (isList(value)) return value.map(unwrapped);
  if (!isBag(value)) return value;
  if (value[SIGNATURE] === SECRET) return unwrapped(value.value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unwrapped(item)]));
}
