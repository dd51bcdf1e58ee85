import { Marked } from 'marked';
import { cut } from '#libs/kernel/cut.js';
import layouts, { type LaidOut } from 'pdfmake/js/LayoutBuilder.js';
import printed, { type EmbeddedFont } from 'pdfmake/js/PDFDocument.js';
import renderers from 'pdfmake/js/Renderer.js';
import { tableLayouts } from 'pdfmake/js/tableLayouts.js';
import { Converter } from './content.js';
import { declared, type Declarations, styleSheet } from './css.js';
import { fontFor, type FontFamily } from './fonts.js';
import { htmlTree } from './html-tree.js';
import { imageSize } from './images.js';
import { MAX_CHARACTERS, MAX_PAGES, type PageSize, type PdfOptions, PdfTooLarge, type RenderedPdf } from './pdf.js';
import { BODY_STYLE, length, textStyle } from './styles.js';
import { fontRuns } from './text-runs.js';

const SIZES: Record<PageSize, { width: number; height: number }> = {
  A4: { width: 595.28, height: 841.89 },
  Letter: { width: 612, height: 792 },
};
const MARGIN = 57;
/** Tells footers from the text. */
const FOOTER = 'footer';
const FOOTER_SIZE = 8;
const FOOTER_COLOR = '#5b6475';
/** Room for the footer, below which the text ends. */
const FOOTER_ROOM = 30;
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };
const PRODUCER = 'Tenant Operating Platform';

/**
 * Prints a text as a PDF/A-3b with embedded fonts. Nothing is loaded: images come from the options, fonts from our
 * packages.
 * @throws PdfTooLarge.
 */
export async function print(source: string, options: PdfOptions): Promise<RenderedPdf> {
  if (source.length > MAX_CHARACTERS) throw new PdfTooLarge(`It has more than ${MAX_CHARACTERS} characters.`);
  const { root, css } = htmlTree(htmlOf(source, options.format));
  const sheet = styleSheet(css);
  const size = pageSizeOf(sheet.page) ?? options.pageSize;
  const page = SIZES[size];
  const margin = marginsOf(sheet.page);
  const document = new Document(options);
  const images = document.usable();
  const converter = new Converter({
    sheet,
    locale: options.locale,
    pageWidth: page.width - margin.left - margin.right,
    images,
  });
  const content = converter.blocks(root, textStyle(BODY_STYLE, 'body', declared(sheet, root)));
  const builder = new layouts.default({ ...page, orientation: 'portrait' }, margin, null);
  builder.registerTableLayouts(tableLayouts);
  const pages = builder.layoutDocument(
    ...([
      content,
      document,
      {},
      { font: 'latin', fontSize: BODY_STYLE.fontSize, lineHeight: BODY_STYLE.lineHeight },
    ] as const),
    ...([undefined, undefined, footerOf(options, margin), undefined] as const),
    (node, info) =>
      node.headlineLevel !== undefined && isLast(info.getFollowingNodesOnPage(), info.getNodesOnNextPage()),
  );
  if (pages.length > MAX_PAGES) throw new PdfTooLarge(`It has more than ${MAX_PAGES} pages.`);
  new renderers.default(document).renderPages(pages);
  return { bytes: await document.finish(), pages: pages.length };
}

class Document extends printed.default {
  private readonly chunks: Buffer[] = [];

  constructor(private readonly given: PdfOptions) {
    const { title, author, locale, createdAt } = given;
    const info = {
      Title: line(title),
      Author: line(author),
      CreationDate: new Date(createdAt),
      Producer: PRODUCER,
      Creator: PRODUCER,
    };
    const images = given.images ?? {};
    const names = Object.fromEntries(Object.keys(images).map((id) => [id, id]));
    const virtual = {
      existsSync: (name: string) => Object.hasOwn(images, name),
      readFileSync: (name: string) => Buffer.from(images[name]!),
    };
    const pdf = {
      pdfVersion: '1.7',
      subset: 'PDF/A-3b',
      lang: locale,
      compress: true,
      autoFirstPage: false,
      font: null,
      info,
    };
    super({}, names, {}, {}, pdf, virtual, () => false);
    this.on('data', (chunk) => this.chunks.push(chunk));
    for (const { bytes, name, mimeType: type, description, relationship } of given.attachments ?? []) {
      const at = new Date(createdAt);
      this.file(Buffer.from(bytes), { name, type, description, relationship, creationDate: at, modifiedDate: at });
    }
  }

  /** The images that can be shown, with their sizes in points. */
  usable(): Map<string, { width: number; height: number }> {
    const found = new Map<string, { width: number; height: number }>();
    for (const [id, bytes] of Object.entries(this.given.images ?? {})) {
      const size = imageSize(bytes);
      if (!size) continue;
      try {
        this.provideImage(id);
      } catch {
        continue; // what is no image is left out
      }
      found.set(id, { width: size.width * 0.75, height: size.height * 0.75 });
    }
    return found;
  }

  /** Fonts are parsed once for all documents. */
  override provideFont(family: string, bold: boolean, italics: boolean): EmbeddedFont {
    // The converter names no other families.
    return (this._fontFamilies[`${family} ${bold} ${italics}`] ??= fontFor(this, family as FontFamily, bold, italics));
  }

  /** The library puts them into XML as they are. */
  override _addInfo(): void {
    const { info } = this;
    this.info = Object.fromEntries(
      Object.entries(info).map(([name, value]) => [
        name,
        value instanceof Date ? value : escaped(String(value as string)),
      ]),
    );
    super._addInfo();
    this.info = info;
    if (this.given.metadata) this.appendXML(this.given.metadata);
  }

  async finish(): Promise<Uint8Array> {
    const ended = new Promise<void>((resolve) => this.on('end', resolve));
    this.end();
    await ended;
    return new Uint8Array(Buffer.concat(this.chunks));
  }
}

function htmlOf(source: string, format: PdfOptions['format']): string {
  if (format === 'html') return source;
  // A Markdown of ours has no raw HTML; the tree would leave out what runs anyway.
  if (format === 'markdown') return new Marked({ gfm: true, async: false }).parse(source) as string; // not async
  return `<div style="white-space: pre">${escaped(source)}</div>`;
}

function footerOf({ footer, locale }: PdfOptions, margin: { left: number; right: number }) {
  const left = fontRuns(footer, locale);
  return (page: number, pages: number) => ({
    ...{ margin: [margin.left, 12, margin.right, 0], fontSize: FOOTER_SIZE, color: FOOTER_COLOR },
    style: FOOTER,
    columns: [
      { width: '*', text: left, style: FOOTER },
      { width: 'auto', text: `${page} / ${pages}`, style: FOOTER },
    ],
    columnGap: 12,
  });
}

/** Whether a heading stands alone at the bottom of its page. */
function isLast(following: readonly LaidOut[], onNextPage: readonly LaidOut[]): boolean {
  const isText = ({ style }: LaidOut): boolean => style !== FOOTER;
  return !following.some(isText) && onNextPage.some(isText);
}

function pageSizeOf(page: Declarations): PageSize | null {
  const [, size = ''] = /^(a4|letter)\b/i.exec(page.get('size') ?? '') ?? [];
  return size === '' ? null : size.toLowerCase() === 'a4' ? 'A4' : 'Letter';
}

function marginsOf(page: Declarations) {
  const [top, right = top, bottom = top, left = right] = page.get('margin')?.split(/\s+/, 4) ?? [];
  const of = (side: string, text: string | undefined): number =>
    Math.min(150, Math.max(20, length(page.get(`margin-${side}`) ?? text, BODY_STYLE.fontSize) ?? MARGIN));
  return {
    top: of('top', top),
    right: of('right', right),
    bottom: Math.max(FOOTER_ROOM + 10, of('bottom', bottom)),
    left: of('left', left),
  };
}

/** Text for a member of the document that is one line. */
function line(text: string): string {
  return cut(text.replaceAll(/[\p{Cc}\p{Cs}]+/gu, ' '), 300);
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);
}
