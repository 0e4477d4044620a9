// A reusable buffer for the pages of a list.

/**
 * Takes in one answer at a time, always in the same memory. Buffers that come and go with every page would outlive the
 * collections of young memory, and stay until the next full one.
 */
export class PageBuffer {
  #memory = Buffer.alloc(0);
  #length = 0;

  /** Forgets what is in it. */
  clear(): void {
    this.#length = 0;
  }

  append(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (length > this.#memory.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#memory.length));
      this.#memory.copy(larger, 0, 0, this.#length);
      this.#memory = larger;
    }
    chunk.copy(this.#memory, this.#length);
    this.#length = length;
  }

  /** What is in it; good until the next change. */
  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }
}
