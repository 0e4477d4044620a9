/** The agent refuses to write, because something on the host is not as it must be. */
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
