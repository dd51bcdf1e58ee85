/** What a text to print is written in. */
export const SOURCE_FORMATS = ['html', 'markdown', 'text'] as const;
export type SourceFormat = (typeof SOURCE_FORMATS)[number];

export const PAGE_SIZES = ['A4', 'Letter'] as const;
export type PageSize = (typeof PAGE_SIZES)[number];

/** Largest number of characters of a text to print. */
export const MAX_CHARACTERS = 1_000_000;
/** Elements that can stand in each other. */
export const MAX_DEPTH = 60;
/** Elements and pieces of text. */
export const MAX_NODES = 60_000;
/** Tables in tables. */
export const MAX_TABLES_DEEP = 4;
export const MAX_COLUMNS = 40;
export const MAX_PAGES = 1_000;
/** Images of one document, and the pixels of each. */
export const MAX_IMAGES = 10;
export const MAX_PIXELS = 16_000_000;
/** CPU time of one document, in milliseconds. */
export const PDF_TIME_MS = 6_000;

/** A file inside the PDF, such as the data of an invoice. */
export interface PdfAttachment {
  /** File name. */
  name: string;
  bytes: Uint8Array;
  mimeType: string;
  description: string;
  /** What it is to the document, in the words of PDF/A-3. */
  relationship: 'Alternative' | 'Data' | 'Source' | 'Supplement' | 'Unspecified';
}

export interface PdfOptions {
  format: SourceFormat;
  title: string;
  author: string;
  /** Language tag. It decides which forms Han characters have: Korean ones, or those of Simplified Chinese. */
  locale: string;
  /** Unless the text has `@page { size }`. */
  pageSize: PageSize;
  /** Text at the bottom of each page, left of the page number. */
  footer: string;
  /** Instant of creation. The same text and options make the same bytes. */
  createdAt: string;
  /** Images by the id that `<img src="file:ID">` names: PNG or JPEG. Other images are left out. */
  images?: Readonly<Record<string, Uint8Array>>;
  attachments?: readonly PdfAttachment[];
  /** `rdf:Description` elements to add to the XMP metadata, such as those of Factur-X. Not from strangers. */
  metadata?: string;
}

export interface RenderedPdf {
  /** A PDF/A-3b. */
  bytes: Uint8Array;
  pages: number;
}

/** Why a text cannot be printed. `detail` says what to change. */
export interface PdfFault {
  code: 'pdf_too_costly' | 'pdf_too_large';
  detail: string;
}

export type PdfOutcome = { pdf: RenderedPdf } | { fault: PdfFault };

/** Thrown while a text that exceeds a limit is printed. */
export class PdfTooLarge extends Error {}
