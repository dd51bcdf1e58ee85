import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { ByteRange } from './file-storage.js';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Plain bytes of a piece. Pieces are encrypted one by one, so that a range can be read without what precedes it. */
const PIECE_BYTES = 65_536;
const SEALED_PIECE_BYTES = PIECE_BYTES + TAG_BYTES;

/** Number of the last piece. Nothing at all is one empty piece. */
const lastPieceOf = (plainBytes: number): number => Math.max(0, Math.ceil(plainBytes / PIECE_BYTES) - 1);

/** Encrypts bytes with a key that nothing else is encrypted with. */
export async function* sealBytes(plain: AsyncIterable<Buffer>, key: Buffer): AsyncGenerator<Buffer> {
  let number = 0;
  for await (const { bytes, isEnd } of pieces(plain, PIECE_BYTES)) {
    const cipher = createCipheriv(ALGORITHM, key, vectorOf(number++, isEnd));
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  }
}

/** The range of the encrypted bytes that a range of `plainBytes` plain bytes needs. */
export function sealedRange({ first, last }: ByteRange, plainBytes: number): ByteRange {
  const lastPiece = Math.floor(last / PIECE_BYTES);
  const end =
    lastPiece === lastPieceOf(plainBytes)
      ? plainBytes + TAG_BYTES * (lastPiece + 1)
      : (lastPiece + 1) * SEALED_PIECE_BYTES;
  return { first: Math.floor(first / PIECE_BYTES) * SEALED_PIECE_BYTES, last: end - 1 };
}

/**
 * Decrypts what {@link sealedRange} covers, and yields the range.
 * @throws Error if the bytes were changed or are not complete.
 */
export async function* openBytes(
  sealed: AsyncIterable<Buffer>,
  key: Buffer,
  { first, last }: ByteRange,
  plainBytes: number,
): AsyncGenerator<Buffer> {
  let number = Math.floor(first / PIECE_BYTES);
  for await (const { bytes } of pieces(sealed, SEALED_PIECE_BYTES)) {
    const decipher = createDecipheriv(ALGORITHM, key, vectorOf(number, number === lastPieceOf(plainBytes)));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    const plain = Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]);
    const offset = number++ * PIECE_BYTES;
    yield plain.subarray(Math.max(0, first - offset), last + 1 - offset);
  }
  if (number <= last / PIECE_BYTES) throw new Error('The encrypted bytes end too early.');
}

/**
 * The initialization vector of a piece: its number, and whether it is the last one. So pieces cannot be exchanged, left
 * out or cut off. `Source:` STREAM, Hoang et al., "Online Authenticated-Encryption and its Nonce-Reuse
 * Misuse-Resistance", 2015.
 */
function vectorOf(number: number, isLast: boolean): Buffer {
  const vector = Buffer.alloc(IV_BYTES);
  vector.writeUIntBE(number, 4, 6);
  vector[IV_BYTES - 1] = isLast ? 1 : 0;
  return vector;
}

/** Cuts bytes into pieces of one size. The last one may be shorter, and is there even if there are no bytes. */
async function* pieces(source: AsyncIterable<Buffer>, size: number): AsyncGenerator<{ bytes: Buffer; isEnd: boolean }> {
  let kept: Buffer[] = [];
  let count = 0;
  for await (const chunk of source) {
    kept.push(chunk);
    count += chunk.length;
    if (count <= size) continue;
    let bytes = Buffer.concat(kept);
    // A full piece waits for the next byte: it may be the last one.
    for (; bytes.length > size; bytes = bytes.subarray(size)) yield { bytes: bytes.subarray(0, size), isEnd: false };
    kept = [bytes];
    count = bytes.length;
  }
  yield { bytes: Buffer.concat(kept), isEnd: true };
}
