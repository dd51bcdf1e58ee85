/** Types that browsers show without running anything in them. All others are offered for download. */
const SHOWN = new Set([
  'audio/mpeg',
  'audio/ogg',
  'audio/wav',
  'image/avif',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
  'text/plain',
  'video/mp4',
  'video/webm',
]);

/** What a file is called without a usable name. */
const NAMELESS = 'file';

/**
 * `Content-Disposition` for a file with this sniffed type. The name cannot add parameters or headers.
 * `Source:` RFC 6266, RFC 8187.
 */
export function dispositionOf({ name, mimeType, inline }: { name: string; mimeType: string; inline: boolean }): string {
  const kind = inline && SHOWN.has(mimeType) ? 'inline' : 'attachment';
  // No folders, and nothing that Windows, browsers or terminals take for something else.
  const safe = name.replace(/[\p{Cc}\p{Cf}\p{Cs}"%*/:<>?\\|]/gu, '_').replace(/^\.+/, '_') || NAMELESS;
  const plain = safe.replace(/[^\x20-\x7e]/g, '_');
  const encoded = encodeURIComponent(safe).replace(
    /['()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"${plain === safe ? '' : `; filename*=UTF-8''${encoded}`}`;
}
