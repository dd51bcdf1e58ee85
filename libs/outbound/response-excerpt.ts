import { KEPT_RESPONSE_HEADERS, MAX_BODY_BYTES, MAX_EXCERPT_BYTES } from './outbound-result.js';

const MAX_HEADER_CHARS = 1_024;

/** Text as PostgreSQL can store it: NUL, which it cannot, becomes U+FFFD. */
const storable = (text: string): string => text.replaceAll('\u0000', '\uFFFD');

/** The beginning of a response body, and whether there was more. Bounded, however long the body is. */
export class ResponseExcerpt {
  #receivedBytes = 0;
  #keptBytes = 0;
  readonly #kept: Buffer[] = [];

  /** Adds a piece of the body as sent (nothing is decompressed); false when the body is longer than may be read. */
  add(chunk: Buffer): boolean {
    this.#receivedBytes += chunk.length;
    const room = MAX_EXCERPT_BYTES - this.#keptBytes;
    if (room > 0) {
      const piece = chunk.subarray(0, room);
      this.#kept.push(piece);
      this.#keptBytes += piece.length;
    }
    return this.#receivedBytes <= MAX_BODY_BYTES;
  }

  /** Whether more came than is kept. */
  get truncated(): boolean {
    return this.#receivedBytes > this.#keptBytes;
  }

  /** What is kept, as UTF-8; a character that the bound cuts in two is left out. */
  text(): string {
    if (this.#keptBytes === 0) return '';
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    return storable(decoder.decode(Buffer.concat(this.#kept), { stream: this.truncated }));
  }
}

/** The headers of an answer that a result keeps; of a repeated one the first. */
export function keptHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of KEPT_RESPONSE_HEADERS) {
    const value = headers[name];
    const first = typeof value === 'string' ? value : value?.[0];
    if (first !== undefined) kept[name] = storable(first.slice(0, MAX_HEADER_CHARS));
  }
  return kept;
}
