import { Parser } from 'htmlparser2';
import { MAX_CHARACTERS, MAX_DEPTH, MAX_NODES, PdfTooLarge } from './pdf.js';

/** An element of HTML. */
export interface Element {
  name: string;
  attributes: Record<string, string>;
  children: (Element | string)[];
  parent: Element | null;
}

/** A document, and the styles in it. */
export interface HtmlTree {
  root: Element;
  css: string;
}

/** Elements whose text is not shown. */
const UNSEEN = new Set(
  'script style template noscript iframe object embed applet svg math head title meta link base audio video canvas'.split(
    ' ',
  ),
);

/** Reads HTML, without what is not shown. @throws PdfTooLarge. */
export function htmlTree(html: string): HtmlTree {
  if (html.length > MAX_CHARACTERS) throw new PdfTooLarge(`It has more than ${MAX_CHARACTERS} characters.`);
  const root: Element = { name: 'body', attributes: {}, children: [], parent: null };
  let current = root;
  let depth = 0;
  let nodes = 0;
  let css = '';
  const count = (): void => {
    if (++nodes > MAX_NODES) throw new PdfTooLarge(`It has more than ${MAX_NODES} elements and pieces of text.`);
  };
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        count();
        if (++depth > MAX_DEPTH) throw new PdfTooLarge(`Elements stand in each other more than ${MAX_DEPTH} deep.`);
        const element: Element = { name, attributes, children: [], parent: current };
        if (!UNSEEN.has(name)) current.children.push(element);
        current = element;
      },
      ontext(text) {
        const { children } = current;
        const last = children.at(-1);
        if (typeof last === 'string') children[children.length - 1] = last + text;
        else {
          count();
          children.push(text);
        }
      },
      onclosetag() {
        if (current.name === 'style') css += `${textIn(current)}\n`;
        depth--;
        current = current.parent ?? root;
      },
    },
    { decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true, recognizeSelfClosing: false },
  );
  parser.write(html);
  parser.end();
  return { root, css };
}

/** All text in an element. */
export function textIn(element: Element | string): string {
  return typeof element === 'string' ? element : element.children.map(textIn).join(' ');
}
