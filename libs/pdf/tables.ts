import { declared } from './css.js';
import { type Element, textIn } from './html-tree.js';
import type { Blocks, Node } from './nodes.js';
import { MAX_COLUMNS, MAX_TABLES_DEEP, PdfTooLarge } from './pdf.js';
import { type Box, boxOf, type Line, type Sides, type TextStyle, textStyle, widthOf } from './styles.js';

/** Largest number of characters of rows that are not broken, and of a head that every page repeats. */
const MAX_WHOLE = 1_500;
const MAX_HEAD = 800;
const DEFAULT_PADDING: Sides = [2, 4, 2, 4];

interface Cell {
  element: Element;
  style: TextStyle;
  box: Box;
  column: number;
  columns: number;
  rows: number;
}

interface Row {
  cells: Cell[];
  isHead: boolean;
}

type Lines = (Line | null)[];

/** A table; null without cells. @throws PdfTooLarge. */
export function tableNode(converter: Blocks, table: Element, style: TextStyle, box: Box): Node | null {
  if (depthOf(table) > MAX_TABLES_DEEP)
    throw new PdfTooLarge(`Tables stand in each other more than ${MAX_TABLES_DEEP} deep.`);
  const rows = rowsOf(converter, table, style);
  const columns = placeCells(rows);
  if (columns === 0) return null;
  const isTall = rows.some(({ cells }) => cells.some(({ element }) => textIn(element).length > MAX_WHOLE));
  const body = rows.map(({ cells }) => filled(converter, cells, columns));
  return {
    table: {
      body: withSpans(rows, body),
      widths: widthsOf(converter, rows, columns, box),
      headerRows: headOf(rows),
      dontBreakRows: !isTall && !rows.some(({ cells }) => cells.some(({ element }) => hasTable(element))),
      keepWithHeaderRows: rows.length > headOf(rows) ? 1 : 0,
    },
    layout: layoutOf(rows, columns),
  };
}

/** Blocks in a box with a background or borders. */
export function boxed(nodes: Node[], { border: [top, right, bottom, left], padding, background }: Box): Node {
  return {
    table: { widths: ['*'], body: [[{ stack: nodes, ...(background ? { fillColor: background } : {}) }]] },
    layout: layout(
      [top, bottom],
      [left, right],
      () => padding,
      () => padding,
    ),
  };
}

/** A line from the left to the right. */
export function ruled(color: string): Node {
  const none = (): Sides => [0, 0, 0, 0];
  return {
    table: { widths: ['*'], body: [[{ text: '', fontSize: 1 }]] },
    layout: layout([null, { width: 0.5, color }], [null, null], none, none),
  };
}

function rowsOf(converter: Blocks, table: Element, style: TextStyle): Row[] {
  const rows: Row[] = [];
  const visit = (parent: Element, inside: TextStyle, isHead: boolean): void => {
    for (const child of parent.children) {
      if (typeof child === 'string') continue;
      const css = declared(converter.conversion.sheet, child);
      if (css.get('display') === 'none') continue;
      const own = textStyle(inside, child.name, css);
      if (child.name === 'tr') rows.push(rowOf(converter, child, own, isHead, boxOf('tr', css, own)));
      else if (/^(thead|tbody|tfoot)$/.test(child.name)) visit(child, own, child.name === 'thead');
    }
  };
  visit(table, style, false);
  const filledRows = rows.filter(({ cells }) => cells.length > 0);
  const [first] = filledRows;
  // A first row of nothing but headings is the head, also without `thead`.
  if (first && filledRows.length > 1 && first.cells.every(({ element }) => element.name === 'th')) first.isHead = true;
  return filledRows;
}

function rowOf(converter: Blocks, row: Element, style: TextStyle, isHead: boolean, around: Box): Row {
  const cells = row.children.flatMap((element): Cell[] => {
    if (typeof element === 'string' || !/^t[dh]$/.test(element.name)) return [];
    const css = declared(converter.conversion.sheet, element);
    if (css.get('display') === 'none') return [];
    const own = textStyle(style, element.name, css);
    const box = boxOf(element.name, css, own);
    const { align } = element.attributes;
    if (align === 'right' || align === 'center') own.align = align;
    if (![...css.keys()].some((name) => name.startsWith('padding'))) box.padding = DEFAULT_PADDING;
    box.background ??= around.background;
    box.border = box.border.map((line, side) => line ?? around.border[side] ?? null) as Box['border']; // four sides
    box.width ??= widthOf(element.attributes['width'], own.fontSize);
    const span = (name: string): number =>
      Math.min(MAX_COLUMNS, Math.max(1, Number.parseInt(element.attributes[name] ?? '1', 10) || 1));
    return [{ element, style: own, box, column: 0, columns: span('colspan'), rows: span('rowspan') }];
  });
  return { cells, isHead };
}

/** Gives each cell its column, beside those that reach down from above; returns the number of columns. */
function placeCells(rows: readonly Row[]): number {
  let columns = 0;
  let taken: number[] = []; // rows that each column is still taken for
  rows.forEach(({ cells }, index) => {
    const next: number[] = taken.map((left) => Math.max(0, left - 1));
    let column = 0;
    for (const cell of cells) {
      while ((taken[column] ?? 0) > 0) column++;
      cell.column = column;
      let free = 0;
      while (free < cell.columns && !taken[column + free]) free++;
      cell.columns = Math.max(1, free);
      cell.rows = Math.min(cell.rows, rows.length - index);
      for (let at = column; at < column + cell.columns; at++) next[at] = cell.rows - 1;
      column += cell.columns;
      if (column > MAX_COLUMNS) throw new PdfTooLarge(`A table has more than ${MAX_COLUMNS} columns.`);
    }
    columns = Math.max(columns, column, taken.length);
    taken = Array.from(next, (left) => left ?? 0);
  });
  return columns;
}

/** The nodes of a row, with empty ones where no cell begins. */
function filled(converter: Blocks, cells: readonly Cell[], columns: number): Node[] {
  const nodes: Node[] = Array.from({ length: columns }, () => ({ text: [] }));
  for (const { element, style, box, column, columns: colSpan, rows: rowSpan } of cells)
    nodes[column] = {
      stack: converter.blocks(element, style),
      alignment: style.align,
      ...(colSpan > 1 ? { colSpan } : {}),
      ...(rowSpan > 1 ? { rowSpan } : {}),
      ...(box.background ? { fillColor: box.background } : {}),
    };
  return nodes;
}

/** Marks what cells above reach into, as pdfmake wants it. */
function withSpans(rows: readonly Row[], body: Node[][]): Node[][] {
  rows.forEach(({ cells }, index) => {
    for (const { column, columns, rows: height } of cells)
      for (let row = index; row < index + height; row++)
        for (let at = column; at < column + columns; at++)
          if (row !== index || at !== column) body[row]![at] = { text: '' as never };
  });
  return body;
}

function headOf(rows: readonly Row[]): number {
  const count = rows.findIndex(({ isHead }) => !isHead);
  const head = rows.slice(0, count < 0 ? 0 : count);
  const isShort =
    head.reduce((sum, { cells }) => sum + cells.reduce((all, { element }) => all + textIn(element).length, 0), 0) <=
    MAX_HEAD;
  const isWhole = head.every(({ cells }, index) =>
    cells.every((cell) => index + cell.rows <= head.length && !hasTable(cell.element)),
  );
  return isShort && isWhole ? head.length : 0;
}

/** Columns are as wide as they say or need; that with the most text takes what is left. */
function widthsOf(converter: Blocks, rows: readonly Row[], columns: number, box: Box): (number | string)[] {
  const { pageWidth } = converter.conversion;
  const whole = !box.width ? null : 'points' in box.width ? box.width.points : (box.width.percent / 100) * pageWidth;
  const widths: (number | string)[] = Array.from({ length: columns }, () => 'auto');
  const texts = new Array<number>(columns).fill(0);
  for (const { cells } of rows)
    for (const { column, columns: span, box: cell, element, style } of cells) {
      if (span > 1) continue;
      texts[column] = Math.max(
        texts[column]!,
        Math.min(200, textIn(element).trim().length) * (style.whiteSpace === 'nowrap' ? 0.2 : 1),
      );
      if (cell.width && widths[column] === 'auto')
        widths[column] = 'points' in cell.width ? cell.width.points : `${cell.width.percent}%`;
    }
  let widest = -1;
  widths.forEach((width, index) => {
    if (width === 'auto' && (widest < 0 || texts[index]! > texts[widest]!)) widest = index;
  });
  if (whole !== null && widest >= 0) widths[widest] = '*';
  return widths;
}

/** Lines between rows and columns: the widest that one of the cells beside them has. */
function layoutOf(rows: readonly Row[], columns: number): object {
  const across: Lines = new Array<Line | null>(rows.length + 1).fill(null);
  const down: Lines = new Array<Line | null>(columns + 1).fill(null);
  const paddings = {
    rows: rows.map((): Sides => [0, 0, 0, 0]),
    columns: Array.from({ length: columns }, (): Sides => [0, 0, 0, 0]),
  };
  rows.forEach(({ cells }, index) => {
    for (const { column, columns: span, rows: height, box } of cells) {
      const [top, right, bottom, left] = box.border;
      across[index] = wider(across[index]!, top);
      across[index + height] = wider(across[index + height]!, bottom);
      down[column] = wider(down[column]!, left);
      down[column + span] = wider(down[column + span]!, right);
      const [paddingTop, paddingRight, paddingBottom, paddingLeft] = box.padding;
      grow(paddings.rows[index]!, 0, paddingTop);
      grow(paddings.rows[index]!, 2, paddingBottom);
      grow(paddings.columns[column]!, 3, paddingLeft);
      grow(paddings.columns[column + span - 1]!, 1, paddingRight);
    }
  });
  // Without lines and backgrounds, text begins and ends where that around the table does.
  const isOpen = !down.some(Boolean) && !rows.some(({ cells }) => cells.some(({ box }) => box.background));
  if (isOpen) {
    paddings.columns[0]![3] = 0;
    paddings.columns[columns - 1]![1] = 0;
  }
  return layout(
    across,
    down,
    (row) => paddings.rows[row] ?? [0, 0, 0, 0],
    (column) => paddings.columns[column] ?? [0, 0, 0, 0],
  );
}

function layout(across: Lines, down: Lines, row: (index: number) => Sides, column: (index: number) => Sides): object {
  return {
    hLineWidth: (index: number) => across[index]?.width ?? 0,
    vLineWidth: (index: number) => down[index]?.width ?? 0,
    hLineColor: (index: number) => across[index]?.color ?? '#000000',
    vLineColor: (index: number) => down[index]?.color ?? '#000000',
    paddingTop: (index: number) => row(index)[0],
    paddingBottom: (index: number) => row(index)[2],
    paddingLeft: (index: number) => column(index)[3],
    paddingRight: (index: number) => column(index)[1],
  };
}

function wider(a: Line | null, b: Line | null): Line | null {
  return !a || (b && b.width > a.width) ? b : a;
}

function grow(sides: Sides, side: 0 | 1 | 2 | 3, value: number): void {
  sides[side] = Math.max(sides[side], value);
}

function hasTable(element: Element): boolean {
  return element.children.some((child) => typeof child !== 'string' && (child.name === 'table' || hasTable(child)));
}

function depthOf({ parent, name }: Element): number {
  return (parent ? depthOf(parent) : 0) + (name === 'table' ? 1 : 0);
}
