import { storableText } from '#libs/kernel/storable.js';
import { KEPT_RESPONSE_HEADERS, MAX_BODY_BYTES, MAX_EXCERPT_BYTES, MAX_HEADER_CHARS } from './outbound-result.js';

/** The text of the bytes, without an incomplete character at the end. */
const wholeCharacters = (bytes: Buffer): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });

/** Number of body bytes that are read, and that are stored, also as text. */
export interface BodyBounds {
  readBytes: number;
  keptBytes: number;
}

/** For calls of which only the outcome matters. */
export const EXCERPT: BodyBounds = { readBytes: MAX_BODY_BYTES, keptBytes: MAX_EXCERPT_BYTES };

/** The beginning of a response body, and whether there was more. Its size is limited, however long the body is. */
export class ResponseExcerpt {
  #receivedBytes = 0;
  #keptBytes = 0;
  readonly #kept: Buffer[] = [];

  constructor(private readonly bounds: BodyBounds = EXCERPT) {}

  /** Adds a part of the body as sent (nothing is decompressed); false if the body is longer than may be read. */
  add(chunk: Buffer): boolean {
    this.#receivedBytes += chunk.length;
    const room = this.bounds.keptBytes - this.#keptBytes;
    if (room > 0) {
      const piece = chunk.subarray(0, room);
      this.#kept.push(piece);
      this.#keptBytes += piece.length;
    }
    return this.#receivedBytes <= this.bounds.readBytes;
  }

  /**
   * The beginning as text that PostgreSQL can store, within the limit of stored bytes, and whether the body is longer.
   */
  read(): { text: string; truncated: boolean } {
    const truncated = this.#receivedBytes > this.#keptBytes;
    if (this.#keptBytes === 0) return { text: '', truncated };
    const [first] = this.#kept;
    const bytes = this.#kept.length === 1 && first !== undefined ? first : Buffer.concat(this.#kept);
    const text = storableText(truncated ? wholeCharacters(bytes) : bytes.toString());
    if (Buffer.byteLength(text) <= this.bounds.keptBytes) return { text, truncated };
    // U+FFFD is longer than the byte that it replaces.
    return { text: wholeCharacters(Buffer.from(text).subarray(0, this.bounds.keptBytes)), truncated: true };
  }
}

/** The response headers that are stored in a result; the first value of a repeated one. */
export function keptHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of KEPT_RESPONSE_HEADERS) {
    const value = headers[name];
    const first = typeof value === 'string' ? value : value?.[0];
    if (first !== undefined) kept[name] = storableText(first, MAX_HEADER_CHARS);
  }
  return kept;
}
