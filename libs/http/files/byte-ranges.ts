import type { ByteRange } from '#libs/files/file-storage.js';

/**
 * The one range of bytes that a request asks for: null for all bytes, also if it asks for several ranges or in a form
 * that is not known, `none` if the bytes have no such range. `Source:` RFC 9110 section 14.
 */
export function rangeOf(header: string | undefined, sizeBytes: number): ByteRange | 'none' | null {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return null;
  if (from === '') return lastBytes(Number(to), sizeBytes);
  const first = Number(from);
  if (to !== '' && Number(to) < first) return null;
  if (first >= sizeBytes) return 'none';
  return { first, last: to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1) };
}

function lastBytes(count: number, sizeBytes: number): ByteRange | 'none' {
  return count === 0 || sizeBytes === 0 ? 'none' : { first: Math.max(0, sizeBytes - count), last: sizeBytes - 1 };
}
