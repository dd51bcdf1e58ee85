import { escaped } from '#libs/http/pages/markup.js';

/** A line of text as HTML: escaped, with code and links. */
export function inline(text: string): string {
  return escaped(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\[([^\]]+)\]\((\/[^)\s]*)\)/g, '<a href="$2">$1</a>');
}

/** Paragraphs and second-level headings as HTML: what the texts of the document use of Markdown. */
export function blocks(markdown: string): string {
  return markdown
    .trim()
    .split(/\n{2,}/)
    .map((block) => {
      const heading = /^##+ (.+)$/.exec(block)?.[1];
      return heading ? `<h3>${inline(heading)}</h3>` : `<p>${inline(block)}</p>`;
    })
    .join('\n');
}
