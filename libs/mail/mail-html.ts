const URLS = /https?:\/\/[^\s<>"]+/g;
const ESCAPED: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** How the mails of a tenant look. */
export interface MailLook {
  /** Name of the sender. */
  name: string;
  /** CSS colour. */
  color: string | null;
  /** BCP 47. */
  locale: string;
}

/** Plain text as HTML: paragraphs at empty lines, and links. */
export function paragraphsOf(text: string): string {
  return text
    .split(/\n{2,}/)
    .map((paragraph) => `<p style="margin:0 0 16px">${linked(paragraph).replaceAll('\n', '<br>')}</p>`)
    .join('\n');
}

/** A whole document that shows a mail. @param body HTML */
export function documentOf(subject: string, body: string, { name, color, locale }: MailLook): string {
  return `<!doctype html>
<html lang="${escaped(locale)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(subject)}</title></head>
<body style="margin:0;padding:24px;font-family:sans-serif;font-size:15px;line-height:1.5;color:#1d2433">
<div style="max-width:600px;margin:0 auto">
<p style="margin:0 0 24px;padding:0 0 8px;border-bottom:2px solid ${color ?? '#d5d9e2'};font-weight:bold">${escaped(name)}</p>
${body}
</div>
</body>
</html>
`;
}

function linked(text: string): string {
  let html = '';
  let from = 0;
  for (const { 0: url, index } of text.matchAll(URLS)) {
    html += `${escaped(text.slice(from, index))}<a href="${escaped(url)}">${escaped(url)}</a>`;
    from = index + url.length;
  }
  return html + escaped(text.slice(from));
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPED[character]!);
}
