/** An object with a key that has a value, or without the key: optional properties are never undefined here. */
export function optional<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): Partial<Record<Key, Value>> {
  const pair: Partial<Record<Key, Value>> = {};
  if (value !== undefined) pair[key] = value;
  return pair;
}
