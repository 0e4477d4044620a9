/** Like `Promise.all`, but it waits for every promise before it rejects, so that a failure leaves nothing running behind the caller. */
export async function allEnded<T extends readonly unknown[]>(
  promises: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
