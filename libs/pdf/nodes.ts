import type { StyleSheet } from './css.js';
import type { Element } from './html-tree.js';
import type { TextStyle } from './styles.js';

/** A node of a definition of pdfmake, with the margins of its block. */
export interface Node {
  margin?: [left: number, top: number, right: number, bottom: number];
  pageBreak?: 'before' | 'after';
  headlineLevel?: number;
  unbreakable?: boolean;
  text?: Inline[];
  stack?: Node[];
  [member: string]: unknown;
}

/** A piece of text. */
export interface Inline {
  text: string;
  font: string;
  [member: string]: unknown;
}

/** What the text is converted with. */
export interface Conversion {
  sheet: StyleSheet;
  locale: string;
  /** Points between the margins of a page. */
  pageWidth: number;
  /** Sizes of the images that exist, in points. */
  images: ReadonlyMap<string, { width: number; height: number }>;
}

/** What converts the contents of an element. */
export interface Blocks {
  readonly conversion: Conversion;
  /** The blocks in an element, one below the other. */
  blocks(element: Element, style: TextStyle): Node[];
}
