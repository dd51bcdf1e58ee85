import { declared, type Declarations } from './css.js';
import { type Element, textIn } from './html-tree.js';
import type { Blocks, Conversion, Inline, Node } from './nodes.js';
import { MAX_IMAGES, PdfTooLarge } from './pdf.js';
import { type Box, BODY_STYLE, boxOf, length, type Sides, type TextStyle, textStyle, widthOf } from './styles.js';
import { boxed, ruled, tableNode } from './tables.js';
import { fontRuns } from './text-runs.js';

const BLOCKS = new Set(
  (
    'address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer h1 h2 h3 h4 h5 h6 ' +
    'header hr html img li main nav ol p pre section summary table ul caption tbody tr td th thead tfoot'
  ).split(' '),
);
/** Largest number of characters of what is kept together on a page. */
const MAX_KEPT = 3_000;
const FILE = /^file:([0-9a-z-]{1,60})$/i;
const MAX_START = 99_999;

/** Converts elements to what pdfmake lays out. Only members that are named here get there, whatever the text says. */
export class Converter implements Blocks {
  private images = 0;

  constructor(readonly conversion: Conversion) {}

  /** The blocks in an element, one below the other. */
  blocks(element: Element, style: TextStyle): Node[] {
    const nodes: Node[] = [];
    const line = new LineOfText(this.conversion.locale);
    const flush = (): void => {
      const text = line.take();
      if (text.length > 0) nodes.push(paragraph(text, style));
    };
    const walk = (child: Element | string, inside: TextStyle): void => {
      if (typeof child === 'string') return line.add(child, inside);
      if (child.name === 'br') return line.end(inside);
      const css = declared(this.conversion.sheet, child);
      if (css.get('display') === 'none') return;
      const own = linked(textStyle(inside, child.name, css), child);
      if (BLOCKS.has(child.name) || css.get('display') === 'block') {
        flush();
        nodes.push(...this.block(child, own, css));
      } else for (const each of child.children) walk(each, own);
    };
    for (const child of element.children) walk(child, style);
    flush();
    return collapsed(nodes);
  }

  private block(element: Element, style: TextStyle, css: Declarations): Node[] {
    const box = boxOf(element.name, css, style);
    if (box.isHidden) return [];
    const nodes = this.contents(element, style, box);
    const [first] = nodes;
    const last = nodes.at(-1);
    if (!first || !last) return [];
    if (box.breaks.before) first.pageBreak = 'before';
    if (box.breaks.after) last.pageBreak = 'after';
    if (!box.breaks.isKept || textIn(element).length > MAX_KEPT) return nodes;
    return [{ stack: nodes, unbreakable: true, margin: [0, 0, 0, 0] }];
  }

  private contents(element: Element, style: TextStyle, box: Box): Node[] {
    const { name } = element;
    if (name === 'hr') return [placed(ruled(style.color), box)];
    if (name === 'img') return this.image(element, box);
    if (name === 'table') {
      const table = tableNode(this, element, style, box);
      return table ? [placed(table, box)] : [];
    }
    if (name === 'ul' || name === 'ol') return this.list(element, style, box);
    const nodes = this.blocks(element, style);
    if (/^h[1-6]$/.test(name) && nodes[0]) nodes[0].headlineLevel = Number(name[1]);
    if (box.background !== null || box.border.some(Boolean)) return [placed(boxed(nodes, box), box)];
    return surrounded(nodes, sum(box.margin, box.padding));
  }

  private list(element: Element, style: TextStyle, box: Box): Node[] {
    const items = element.children.flatMap((child): Node[] => {
      if (typeof child === 'string') return [];
      const css = declared(this.conversion.sheet, child);
      if (css.get('display') === 'none') return [];
      const own = textStyle(style, child.name, css);
      return [{ stack: this.blocks(child, own), margin: [0, 0, 0, own.fontSize * 0.15] }];
    });
    if (items.length === 0) return [];
    const start = Number(element.attributes['start'] ?? 1);
    const list: Node =
      element.name === 'ul'
        ? { ul: items }
        : { ol: items, start: Number.isInteger(start) && Math.abs(start) <= MAX_START ? start : 1 };
    return [placed({ ...list, fontSize: style.fontSize, markerColor: style.color }, box)];
  }

  private image({ attributes }: Element, box: Box): Node[] {
    const [, id = ''] = FILE.exec(attributes['src'] ?? '') ?? [];
    const image = this.conversion.images.get(id);
    if (!image) return [];
    if (++this.images > MAX_IMAGES) throw new PdfTooLarge(`It shows more than ${MAX_IMAGES} images.`);
    const wanted = box.width ?? widthOf(attributes['width'], BODY_STYLE.fontSize);
    const height = length(`${attributes['height'] ?? ''}px`, 1);
    const natural = height && !wanted ? (height / image.height) * image.width : image.width;
    const width = !wanted
      ? natural
      : 'points' in wanted
        ? wanted.points
        : (wanted.percent / 100) * this.conversion.pageWidth;
    const shown = Math.min(width, this.conversion.pageWidth);
    const scaled = Math.min((shown / image.width) * image.height, 600);
    return [placed({ image: id, width: (scaled / image.height) * image.width, height: scaled }, box)];
  }
}

/** Pieces of text of one paragraph, with white space as CSS has it. */
class LineOfText {
  private pieces: Inline[] = [];
  /** Whether a space at the beginning of the next piece would stand beside another one. */
  private isSpaced = true;

  constructor(private readonly locale: string) {}

  add(given: string, style: TextStyle): void {
    let text = given;
    const { whiteSpace } = style;
    if (whiteSpace === 'pre') text = text.replaceAll('\t', '    ').replaceAll('\r', '');
    else {
      text = whiteSpace === 'pre-line' ? text.replaceAll(/[ \t\f\r]*\n[ \t\f\r]*/g, '\n') : text.replaceAll('\n', ' ');
      text = text.replaceAll(/[ \t\f\r]+/g, ' ');
      if (this.isSpaced) text = text.replace(/^ /, '');
    }
    if (text === '') return;
    this.isSpaced = whiteSpace !== 'pre' && /[ \n]$/.test(text);
    if (style.isUppercase) text = text.toLocaleUpperCase(this.locale);
    for (const { text: part, font } of fontRuns(text, this.locale))
      if (part !== '') this.pieces.push({ text: part, font, ...looks(style) });
  }

  end(style: TextStyle): void {
    this.pieces.push({ text: '\n', font: 'latin', ...looks(style) });
    this.isSpaced = true;
  }

  /** The pieces so far, empty without any text. */
  take(): Inline[] {
    const { pieces } = this;
    this.pieces = [];
    this.isSpaced = true;
    const last = pieces.at(-1);
    if (last) last.text = last.text.replace(/[ \n]$/, '');
    return pieces.some(({ text }) => text !== '') ? pieces : [];
  }
}

function looks({ fontSize, lineHeight, bold, italics, color, underline, strike, link, whiteSpace }: TextStyle) {
  return {
    ...{ fontSize, lineHeight, bold, italics, color },
    ...(underline || strike ? { decoration: underline ? 'underline' : 'lineThrough' } : {}),
    ...(link === null ? {} : { link }),
    ...(whiteSpace === 'nowrap' ? { noWrap: true } : {}),
    ...(whiteSpace === 'pre' ? { preserveLeadingSpaces: true } : {}),
  };
}

function paragraph(text: Inline[], { align, fontSize, lineHeight }: TextStyle): Node {
  return { text, alignment: align, fontSize, lineHeight, margin: [0, 0, 0, 0] };
}

/** Links lead to web pages and mail addresses; others are plain text. */
function linked(style: TextStyle, { name, attributes }: Element): TextStyle {
  if (name !== 'a') return style;
  const href = attributes['href']?.trim() ?? '';
  if (!/^(https?:\/\/|mailto:)[\x21-\x7e]{1,2000}$/i.test(href)) return style;
  return { ...style, link: href, underline: true };
}

/** A node with the margins of its box. */
function placed(node: Node, { margin: [top, right, bottom, left] }: Box): Node {
  return { ...node, margin: [left, top, right, bottom] };
}

/** Blocks with margins around them, which are shared with those of the first and the last. */
function surrounded(nodes: Node[], [top, right, bottom, left]: Sides): Node[] {
  const [first] = nodes;
  const last = nodes.at(-1);
  if (!first || !last) return [];
  if (right > 0 || left > 0) return [{ stack: nodes, margin: [left, top, right, bottom] }];
  first.margin![1] = Math.max(first.margin![1], top);
  last.margin![3] = Math.max(last.margin![3], bottom);
  return nodes;
}

/** Blocks whose margins beside each other are shared. */
function collapsed(nodes: Node[]): Node[] {
  let above = 0;
  for (const { margin } of nodes) {
    if (!margin) continue;
    margin[1] = Math.max(0, margin[1] - above);
    above = margin[3];
  }
  return nodes;
}

function sum(a: Sides, b: Sides): Sides {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]];
}
