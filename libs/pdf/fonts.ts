import { readFileSync } from 'node:fs';
import printed, { type EmbeddedFont, type PDFDocument } from 'pdfmake/js/PDFDocument.js';

const LATIN = new URL('../fonts/', import.meta.resolve('@embedpdf/fonts-latin'));
const CHINESE = new URL('../fonts/', import.meta.resolve('@embedpdf/fonts-sc'));
const KOREAN = new URL('../fonts/', import.meta.resolve('@embedpdf/fonts-kr'));
const WIDE = new URL('ttf/', import.meta.resolve('dejavu-fonts-ttf/package.json'));

/** Files of each family: regular, bold, italic, and both. Chinese and Korean have no italics. */
const FILES = {
  latin: styles(LATIN, 'NotoSans-Regular.ttf', 'NotoSans-Bold.ttf', 'NotoSans-Italic.ttf', 'NotoSans-BoldItalic.ttf'),
  chinese: styles(CHINESE, 'NotoSansHans-Regular.otf', 'NotoSansHans-Bold.otf'),
  korean: styles(KOREAN, 'NotoSansKR-Regular.otf', 'NotoSansKR-Bold.otf'),
  wide: styles(WIDE, 'DejaVuSans.ttf', 'DejaVuSans-Bold.ttf', 'DejaVuSans-Oblique.ttf', 'DejaVuSans-BoldOblique.ttf'),
};

export type FontFamily = keyof typeof FILES;

/** Parsed fonts by their file. They are parsed once, when a text needs them: the parser keeps what it has found in them. */
const parsed = new Map<string, EmbeddedFont>();

/** A font of a family, added to a document. */
export function fontFor(document: PDFDocument, family: FontFamily, bold: boolean, italics: boolean): EmbeddedFont {
  const { font, constructor } = parsedFont(family, bold, italics);
  const Embedded = constructor as new (of: PDFDocument, parsed: unknown, id: string) => EmbeddedFont; // pdfkit exports no class
  return new Embedded(document, font, `F${++document._fontCount}`);
}

/** Whether a family has a character. */
export function hasCharacter(family: FontFamily, codePoint: number): boolean {
  return parsedFont(family, false, false).font.hasGlyphForCodePoint(codePoint);
}

function parsedFont(family: FontFamily, bold: boolean, italics: boolean): EmbeddedFont {
  const file = FILES[family][(bold ? 1 : 0) + (italics ? 2 : 0)]!;
  let font = parsed.get(file.href);
  if (!font) {
    const options = { font: null, autoFirstPage: false };
    const scratch = new printed.default({}, {}, {}, {}, options, null, () => false);
    font = scratch.font(readFileSync(file))._font;
    parsed.set(file.href, font);
  }
  return font;
}

function styles(folder: URL, regular: string, bold: string, italic = regular, both = bold): URL[] {
  return [regular, bold, italic, both].map((name) => new URL(name, folder));
}
