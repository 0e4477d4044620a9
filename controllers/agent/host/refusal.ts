/** Something on the host is not what it must be before the agent writes there. */
export class HostRefusal extends Error {
  override readonly name = "HostRefusal";

  constructor(
    /** One word in CamelCase, for status. */
    readonly reason: string,
    message: string,
  ) {
    super(message);
  }
}
