/** Verifies an archive; returns the line to print. @throws Error saying what is wrong */
export function verifyDataExport(path: string, jwks: { keys: object[] }): Promise<string>;

/** The files of an archive by their path, each read when it is asked for. */
export function filesOf(path: string): Map<string, { read(): AsyncIterable<Buffer> }>;
