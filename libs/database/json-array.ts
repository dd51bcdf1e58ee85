/** The oid of type `json`. `Source:` PostgreSQL's pg_type.dat. */
const JSON_OID = 114;
/** Header: dimensions, null flag, element type, length and first index. `Source:` array_recv in arrayfuncs.c. */
const HEAD_BYTES = 5 * 4;

/**
 * JSON texts as a binary value for `json[]`. In text format, escaping and unescaping quotation marks would cost more
 * than everything else.
 */
export function jsonArray(texts: readonly string[]): Buffer {
  const size = texts.reduce((sum, text) => sum + 4 + Buffer.byteLength(text), HEAD_BYTES);
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (const each of [1, 0, JSON_OID, texts.length, 1]) at = bytes.writeInt32BE(each, at);
  for (const text of texts) {
    const length = bytes.write(text, at + 4);
    at = bytes.writeInt32BE(length, at) + length;
  }
  return bytes;
}
