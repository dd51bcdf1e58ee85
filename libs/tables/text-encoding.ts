/** Encodings of texts that are read. The last one has a character for every byte. */
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** Share of zero bytes at every other place from which on a text is taken for UTF-16 without a mark. */
const MANY = 0.3;

/**
 * The encoding of a text by its first bytes: by the byte order mark, else UTF-16 by its zeros, else UTF-8, which later
 * bytes may contradict: then it is Windows-1252.
 */
export function encodingOf(head: Buffer): TextEncoding {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  const pairs = Math.floor(head.length / 2);
  const zeros = [0, 0];
  for (let i = 0; i < pairs * 2; i++) if (head[i] === 0) zeros[i % 2]!++;
  if (zeros[1]! > pairs * MANY && zeros[0]! < zeros[1]! / 2) return 'utf-16le';
  if (zeros[0]! > pairs * MANY && zeros[1]! < zeros[0]! / 2) return 'utf-16be';
  return 'utf-8';
}

/** Whether bytes are UTF-8 to their end. */
export async function isUtf8Throughout(bytes: AsyncIterable<Buffer>): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of bytes) decoder.decode(chunk, { stream: true });
    decoder.decode();
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

/** Bytes as text, without the byte order mark. */
export async function* decoded(bytes: AsyncIterable<Buffer>, encoding: TextEncoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}
