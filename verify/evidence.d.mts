/** Verifies bundles, each chained to the one before it; returns the line to print. @throws Error saying what is wrong */
export function verifyChain(files: readonly { name: string; bytes: Buffer }[], jwks: { keys: object[] }): string;
