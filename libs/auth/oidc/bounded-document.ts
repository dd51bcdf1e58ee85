import { assertNoOpenTransaction } from '#libs/outbound/transaction-probe.js';

/** Maximum size of a document in bytes; the largest key sets in use have about 30 KiB. */
const MAX_BYTES = 256 * 1024;
/** Limit for the whole exchange. */
const TIMEOUT_MS = 5_000;

/** The provider returned no usable document. The message contains no URL. */
export class ProviderFailure extends Error {}

/**
 * Fetches a JSON document of the identity provider with one request, without redirects, limited in time and size.
 * @throws ProviderFailure
 */
export async function fetchDocument(url: string): Promise<unknown> {
  assertNoOpenTransaction();
  try {
    const response = await fetch(url, {
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { accept: 'application/json' },
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new ProviderFailure(`the identity provider answered ${response.status}`);
    }
    return JSON.parse(await readBounded(response)) as unknown;
  } catch (error) {
    if (error instanceof ProviderFailure) throw error;
    throw new ProviderFailure(`the identity provider returned no document: ${(error as Error).name}`, { cause: error });
  }
}

/** The text of a response, up to the maximum size of a document. @throws ProviderFailure */
export async function readBounded({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop early cancels the stream, which closes the connection.
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new ProviderFailure('the identity provider sent too much');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
