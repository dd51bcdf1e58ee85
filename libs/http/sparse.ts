/** Versions of sparse answers; null for an answer that is no record. */
const versions = new WeakMap<object, number | null>();

/**
 * Marks an answer that lacks members which its model requires, because the caller asked for some of them only.
 * @param version of the record that it shows, for the ETag.
 */
export function sparse<T extends object>(answer: T, version: number | null = null): T {
  versions.set(answer, version);
  return answer;
}

export function isSparse(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && versions.has(answer);
}

/** Version of a record that was marked with {@link sparse}; undefined for any other answer. */
export function versionOfSparse(answer: unknown): number | null | undefined {
  return typeof answer === 'object' && answer !== null ? versions.get(answer) : undefined;
}
