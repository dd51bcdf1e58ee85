/** The items of an export in any of its formats, from chunks of its bytes. */
export function itemsOf(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncIterable<object>;

/** Verifies an export; answers the line that says so. @throws Error saying what is wrong and where */
export function verifyExport(items: AsyncIterable<object>, jwks: { keys: object[] }): Promise<string>;

/** Verifies entries without a manifest: only hashes and commitments. @throws Error saying what is wrong and where */
export function verifyEntries(items: AsyncIterable<object>): Promise<string>;
