// What somebody meant who misspelled a name.

/** The known word that a wrong one is nearest to, if it is near enough to be meant. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((candidate) => ({ candidate, steps: editDistance(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((one, other) => one.steps - other.steps);
  return best !== undefined && best.steps <= Math.max(1, Math.floor(word.length / 3))
    ? best.candidate
    : undefined;
}

/** How many letters have to be added, removed, changed or swapped with their neighbour to turn one word into another. */
export function editDistance(from: string, to: string): number {
  let [beforeLast, last] = [[] as number[], Array.from({ length: to.length + 1 }, (_, index) => index)];
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const cost = from[row - 1] === to[column - 1] ? 0 : 1;
      const steps = [
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + cost,
        ...(from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
          ? [(beforeLast[column - 2] ?? 0) + 1]
          : []),
      ];
      current.push(Math.min(...steps));
    }
    [beforeLast, last] = [last, current];
  }
  return last[to.length] ?? 0;
}
