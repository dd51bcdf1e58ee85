/** The number of the version after a row; nothing else in TypeScript counts versions. */
export function versionAfter({ version }: { version: number }): number {
  return version + 1;
}

/** The next version of a row, with changes. */
export function nextVersion<R extends { version: number }>(row: R, changes: Partial<R>): R {
  return { ...row, ...changes, version: versionAfter(row) };
}
