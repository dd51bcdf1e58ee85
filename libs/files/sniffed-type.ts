import { isUtf8 } from 'node:buffer';
import { open } from 'node:fs/promises';
import { fileTypeFromFile } from 'file-type';

/** Bytes at the beginning that decide what a text is. */
const HEAD_BYTES = 8_192;
/** The longest sequence of UTF-8; the head may end within one. */
const SEQUENCE_BYTES = 4;

const UNKNOWN = 'application/octet-stream';

/** What browsers would take for a page or an image with scripts. */
const MARKUP: readonly [RegExp, string][] = [
  [/<svg[\s>]/i, 'image/svg+xml'],
  [/^\s*<\?xml/i, 'application/xml'],
  [
    /^\s*<!--|<(?:!doctype\s+html|html|head|body|script|iframe|style|title|table|div|h1|a|img|br|p|font)[\s/>]/i,
    'text/html',
  ],
];

/** The media type of a file by its bytes alone. Names and what clients say count for nothing. */
export async function sniffedType(path: string): Promise<string> {
  const found = (await fileTypeFromFile(path).catch(() => undefined))?.mime;
  if (found !== undefined && found !== 'application/xml') return found;
  const head = await headOf(path);
  if (!isText(head)) return UNKNOWN;
  return markupIn(head.toString('utf8')) ?? 'text/plain';
}

function markupIn(text: string): string | null {
  return MARKUP.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Whether the bytes are UTF-8 without control characters that texts do not have. */
function isText(head: Buffer): boolean {
  if (head.length === 0) return false;
  if (
    head.some(
      (byte) => byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d && byte !== 0x1b,
    )
  )
    return false;
  const rests = head.length < HEAD_BYTES ? [0] : Array.from({ length: SEQUENCE_BYTES }, (_, rest) => rest);
  return rests.some((rest) => isUtf8(head.subarray(0, head.length - rest)));
}
