import { Parser } from 'htmlparser2';

const HIDDEN = new Set(['head', 'script', 'style', 'title']);
const BLOCKS = new Set('blockquote div h1 h2 h3 h4 h5 h6 hr li ol p section table tr ul'.split(' '));
const PARAGRAPHS = new Set('blockquote h1 h2 h3 h4 h5 h6 ol p table ul'.split(' '));

/** What HTML says, as plain text: a line for each block, the addresses of links in brackets. */
export function textOfHtml(html: string): string {
  let text = '';
  let hidden = 0;
  const links: string[] = [];
  const parser = new Parser({
    onopentag(name, { href = '' }) {
      if (HIDDEN.has(name)) hidden++;
      if (name === 'br' || BLOCKS.has(name)) text += '\n';
      if (name === 'li') text += '- ';
      if (name === 'a') links.push(/^https?:/i.test(href) ? href : '');
    },
    ontext(piece) {
      if (hidden === 0) text += piece.replace(/\s+/g, ' ');
    },
    onclosetag(name) {
      if (HIDDEN.has(name)) hidden--;
      const link = name === 'a' ? links.pop() : '';
      if (link && !text.endsWith(link)) text += ` (${link})`;
      if (name === 'td' || name === 'th') text += '  ';
      if (BLOCKS.has(name)) text += PARAGRAPHS.has(name) ? '\n\n' : '\n';
    },
  });
  parser.end(html);
  return text
    .replace(/[ \t]+\n/g, '\n')
    .replace(/\n[ \t]+/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
