/** Elements that run code, load something or leave the page. */
const ACTIVE_ELEMENTS = new Set(
  'applet base embed form frame frameset iframe link math meta noscript object portal script svg template'.split(' '),
);
const LINKS = new Set(['action', 'background', 'data', 'formaction', 'href', 'poster', 'src', 'srcset', 'xlink:href']);
const TAG = /<(\/?)([a-z][^\s/>]*)/giy;
const ATTRIBUTE = /[\s/]*([^\s/>=]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s>]+))?/y;
// Browsers ignore white space and controls in the name of a scheme.
const SCRIPT_SCHEME =
  /^[\s\u0000-\u0020]*(?:j\s*a\s*v\s*a|v\s*b)\s*s\s*c\s*r\s*i\s*p\s*t\s*:|^[\s\u0000-\u0020]*data:(?!image\/)/i;
const CHARACTER = /&#(x?)([0-9a-f]{1,8});?|&(?:colon|tab|newline);/gi;

/** The first thing in HTML that would run code or load something; null if there is none. Takes linear time. */
export function activeContent(html: string): string | null {
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at + 1)) {
    TAG.lastIndex = at;
    const [, closes, name] = TAG.exec(html) ?? [];
    if (name === undefined) continue;
    if (ACTIVE_ELEMENTS.has(name.toLowerCase())) return `the element ${name.slice(0, 20)}`;
    if (closes) continue;
    ATTRIBUTE.lastIndex = TAG.lastIndex;
    for (let found = ATTRIBUTE.exec(html); found; found = ATTRIBUTE.exec(html)) {
      const [, attribute = '', value = ''] = found;
      const lower = attribute.toLowerCase();
      if (/^on[a-z]/.test(lower)) return `the attribute ${attribute.slice(0, 20)}`;
      if (lower === 'srcdoc') return 'the attribute srcdoc';
      if (LINKS.has(lower) && SCRIPT_SCHEME.test(decoded(value.replace(/^["']/, ''))))
        return `the address in ${attribute.slice(0, 20)}`;
      if (lower === 'style' && forbiddenStyle(decoded(value))) return 'the attribute style';
      at = ATTRIBUTE.lastIndex - 1;
    }
  }
  return null;
}

const LOADING = /(?:url|image|image-set|cross-fade|element|src|expression|paint)\s*\(/i;
const RULES = /@(?!media\b|page\b|top-|bottom-|left-|right-)[\w-]*/i;

/** What styles may not have, because it loads or runs something or leaves the style element; null if there is none. */
export function forbiddenStyle(css: string): string | null {
  const found = LOADING.exec(css) ?? RULES.exec(css) ?? /[<\\]|behavior\s*:|-moz-binding/i.exec(css);
  return found?.[0].slice(0, 20) ?? null;
}

/** Text of Markdown in which nothing is raw HTML. Addresses in angle brackets stay links. */
export function withoutRawHtml(markdown: string): string {
  return markdown.replaceAll(/<(?=[a-z/!?])(?!(?:https?:\/\/|mailto:)[^\s<>]*>)/gi, '&lt;');
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text for HTML, also between quotes. */
export function escapedHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);
}

function decoded(value: string): string {
  return value.replaceAll(CHARACTER, (whole, hex: string | undefined, code: string | undefined) => {
    if (code === undefined) return whole.toLowerCase() === '&colon;' ? ':' : ' ';
    const point = Number.parseInt(code, hex ? 16 : 10);
    return point <= 0x10ffff ? String.fromCodePoint(point) : '';
  });
}
