/** What `printing.ts` uses of pdfmake, beneath its own printer, which would parse the fonts again for each document. */
declare module 'pdfmake/js/PDFDocument.js' {
  export interface PdfFont {
    readonly name: string;
  }
  export interface EmbeddedFont extends PdfFont {
    /** The parsed font, of fontkit. */
    readonly font: { hasGlyphForCodePoint(codePoint: number): boolean };
  }
  export interface FileOptions {
    name: string;
    type: string;
    description: string;
    relationship: string;
    creationDate: Date;
    modifiedDate: Date;
  }
  export class PDFDocument {
    constructor(
      fonts: object,
      images: Record<string, string>,
      patterns: object,
      attachments: object,
      options: object,
      virtualfs: unknown,
      localAccessPolicy: (path: string) => boolean,
    );
    info: Record<string, unknown>;
    _font: EmbeddedFont;
    _fontCount: number;
    /** What is written when the document ends. */
    _fontFamilies: Record<string, EmbeddedFont>;
    font(bytes: Uint8Array): this;
    provideFont(family: string, bold: boolean, italics: boolean): PdfFont;
    provideImage(name: string): { width: number; height: number };
    file(bytes: Buffer, options: FileOptions): unknown;
    appendXML(xml: string): void;
    _addInfo(): void;
    on(event: 'data', listener: (chunk: Buffer) => void): this;
    on(event: 'end', listener: () => void): this;
    end(): void;
  }
  const module: { default: typeof PDFDocument };
  export default module;
}

declare module 'pdfmake/js/LayoutBuilder.js' {
  export interface LaidOut {
    style?: string;
  }
  export interface Surroundings {
    getFollowingNodesOnPage(): LaidOut[];
    getNodesOnNextPage(): LaidOut[];
  }
  export class LayoutBuilder {
    constructor(pageSize: object, pageMargins: object, svgMeasure: unknown);
    registerTableLayouts(layouts: object): void;
    layoutDocument(
      content: unknown,
      document: object,
      styles: object,
      defaultStyle: object,
      background: undefined,
      header: undefined,
      footer: (page: number, pages: number) => unknown,
      watermark: undefined,
      pageBreakBefore: (node: { headlineLevel?: number }, info: Surroundings) => boolean,
    ): unknown[];
  }
  const module: { default: typeof LayoutBuilder };
  export default module;
}

declare module 'pdfmake/js/Renderer.js' {
  export class Renderer {
    constructor(document: object);
    renderPages(pages: unknown[]): void;
  }
  const module: { default: typeof Renderer };
  export default module;
}

declare module 'pdfmake/js/tableLayouts.js' {
  export const tableLayouts: object;
}
