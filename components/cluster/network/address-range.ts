/** A range of IPv4 addresses. */
export class AddressRange {
  private constructor(
    private readonly first: number,
    /** How many bits of an address are fixed. */
    readonly prefix: number,
  ) {}

  /** Reads a range such as `10.0.0.0/16`; undefined if it is none, or if bits are set behind the prefix. */
  static parse(text: string): AddressRange | undefined {
    const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(text);
    const numbers = (match ?? []).slice(1).map(Number);
    const [a = 256, b = 256, c = 256, d = 256, prefix = 33] = numbers;
    if ([a, b, c, d].some((octet) => octet > 255) || prefix > 32) return undefined;
    const first = a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d;
    return first % 2 ** (32 - prefix) === 0 ? new AddressRange(first, prefix) : undefined;
  }

  /** The number of addresses. */
  get size(): number {
    return 2 ** (32 - this.prefix);
  }

  /** Whether an address lies in both. */
  overlaps(other: AddressRange): boolean {
    return this.first < other.first + other.size && other.first < this.first + this.size;
  }

  /** The part with a longer prefix at a position; undefined where there is no such part. */
  part(prefix: number, index: number): AddressRange | undefined {
    if (prefix < this.prefix || prefix > 32 || index < 0 || index >= 2 ** (prefix - this.prefix))
      return undefined;
    return new AddressRange(this.first + index * 2 ** (32 - prefix), prefix);
  }

  /** The address at a position; undefined behind the end. */
  host(index: number): string | undefined {
    return index >= 0 && index < this.size ? dotted(this.first + index) : undefined;
  }

  toString(): string {
    return `${dotted(this.first)}/${this.prefix}`;
  }
}

function dotted(address: number): string {
  return [24, 16, 8, 0].map((bits) => Math.floor(address / 2 ** bits) % 256).join(".");
}
