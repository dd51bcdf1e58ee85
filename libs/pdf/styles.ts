import type { Declarations } from './css.js';

/** What text inherits. Lengths are points. */
export interface TextStyle {
  fontSize: number;
  lineHeight: number;
  bold: boolean;
  italics: boolean;
  underline: boolean;
  strike: boolean;
  isUppercase: boolean;
  color: string;
  align: 'left' | 'right' | 'center' | 'justify';
  whiteSpace: 'normal' | 'nowrap' | 'pre-line' | 'pre';
  link: string | null;
}

export type Sides = [top: number, right: number, bottom: number, left: number];

export interface Line {
  width: number;
  color: string;
}

/** What a box does not inherit. */
export interface Box {
  margin: Sides;
  padding: Sides;
  border: [top: Line | null, right: Line | null, bottom: Line | null, left: Line | null];
  background: string | null;
  width: { points: number } | { percent: number } | null;
  breaks: { before: boolean; after: boolean; isKept: boolean };
  isHidden: boolean;
}

export const BODY_STYLE: TextStyle = {
  ...{ fontSize: 10, lineHeight: 1.15, bold: false, italics: false, underline: false, strike: false },
  ...{ isUppercase: false, color: '#000000', align: 'left', whiteSpace: 'normal', link: null },
};

const POINTS: Record<string, number> = { pt: 1, px: 0.75, mm: 72 / 25.4, cm: 72 / 2.54, in: 72, pc: 12 };
const MAX_POINTS = 500;
const SIZES: Record<string, number> = { small: 8, 'x-small': 7, medium: 10, large: 13, 'x-large': 16, 'xx-large': 20 };
/** The line heights of fonts are about 1.36 of their size, to which the renderer's factor applies. */
const FONT_LINE = 1.362;

const COLORS: Record<string, string> = {
  ...{ black: '#000000', white: '#ffffff', red: '#ff0000', green: '#008000', blue: '#0000ff', gray: '#808080' },
  ...{ grey: '#808080', silver: '#c0c0c0', maroon: '#800000', navy: '#000080', teal: '#008080', purple: '#800080' },
  ...{ orange: '#ffa500', yellow: '#ffff00', olive: '#808000', lightgray: '#d3d3d3', darkgray: '#a9a9a9' },
};

/** What elements look like without styles: factors of the font size, and margins in those of it. */
const OWN: Record<string, Partial<TextStyle> & { scale?: number; space?: number; indent?: number }> = {
  h1: { scale: 1.8, bold: true, space: 0.5 },
  h2: { scale: 1.4, bold: true, space: 0.5 },
  h3: { scale: 1.15, bold: true, space: 0.6 },
  ...{ h4: { bold: true, space: 0.6 }, h5: { bold: true, space: 0.6 }, h6: { bold: true, space: 0.6 } },
  ...{ p: { space: 0.6 }, ul: { space: 0.6 }, ol: { space: 0.6 }, table: { space: 0.6 }, hr: { space: 0.6 } },
  ...{ blockquote: { space: 0.6, indent: 2 }, pre: { space: 0.6, whiteSpace: 'pre' }, dd: { indent: 2 } },
  ...{ b: { bold: true }, strong: { bold: true }, th: { bold: true }, dt: { bold: true } },
  ...{ i: { italics: true }, em: { italics: true }, cite: { italics: true }, address: { italics: true } },
  ...{ u: { underline: true }, ins: { underline: true }, s: { strike: true }, del: { strike: true } },
  ...{ small: { scale: 0.83 }, center: { align: 'center' } },
};

/** The text style of an element inside another one. */
export function textStyle(parent: TextStyle, tag: string, css: Declarations): TextStyle {
  const { scale = 1, space: _, indent: __, ...own } = OWN[tag] ?? {};
  const style: TextStyle = { ...parent, fontSize: parent.fontSize * scale, ...own };
  style.fontSize = clamp(fontSize(css.get('font-size'), parent.fontSize) ?? style.fontSize, 4, 72);
  const weight = css.get('font-weight');
  if (weight) style.bold = weight === 'bold' || weight === 'bolder' || Number(weight) >= 600;
  const slope = css.get('font-style');
  if (slope) style.italics = slope !== 'normal';
  const decoration = css.get('text-decoration') ?? css.get('text-decoration-line');
  if (decoration) {
    style.underline = decoration.includes('underline');
    style.strike = decoration.includes('line-through');
  }
  const transform = css.get('text-transform');
  if (transform) style.isUppercase = transform === 'uppercase';
  style.color = color(css.get('color')) ?? style.color;
  const align = css.get('text-align');
  if (align === 'left' || align === 'right' || align === 'center' || align === 'justify') style.align = align;
  if (align === 'start') style.align = 'left';
  if (align === 'end') style.align = 'right';
  const space = css.get('white-space');
  if (space)
    style.whiteSpace =
      space === 'pre-wrap' ? 'pre' : space === 'pre' || space === 'nowrap' || space === 'pre-line' ? space : 'normal';
  const height = css.get('line-height');
  if (height) style.lineHeight = lineHeight(height, style) ?? style.lineHeight;
  return style;
}

/** The box of an element with a text style. */
export function boxOf(tag: string, css: Declarations, { fontSize: em }: TextStyle): Box {
  const { space = 0, indent = 0 } = OWN[tag] ?? {};
  const breaks = (side: string): string => css.get(`page-break-${side}`) ?? css.get(`break-${side}`) ?? '';
  const widthText = css.get('width');
  return {
    margin: sides('margin', css, em, [space * em, 0, space * em, indent * em]),
    padding: sides('padding', css, em, [0, 0, 0, 0]),
    border: [line('top', css, em), line('right', css, em), line('bottom', css, em), line('left', css, em)],
    background: color(css.get('background-color') ?? css.get('background')),
    width: widthOf(widthText, em),
    breaks: {
      before: /^(always|page|left|right)$/.test(breaks('before')),
      after: /^(always|page|left|right)$/.test(breaks('after')),
      isKept: breaks('inside').startsWith('avoid'),
    },
    isHidden: css.get('display') === 'none' || css.get('visibility') === 'hidden',
  };
}

/** `50%`, `30mm`, or a number of pixels as in attributes. */
export function widthOf(text: string | undefined, em: number): Box['width'] {
  if (text === undefined) return null;
  const [, percent] = /^(\d{1,3}(?:\.\d+)?)%$/.exec(text) ?? [];
  if (percent) return { percent: clamp(Number(percent), 1, 100) };
  const points = length(/^\d+(\.\d+)?$/.test(text) ? `${text}px` : text, em);
  return points ? { points } : null;
}

/** A length in points; null if it is none. */
export function length(text: string | undefined, em: number): number | null {
  const [, number, unit = ''] = /^(-?(?:\d{1,6}(?:\.\d{0,6})?|\.\d{1,6}))([a-z]{0,3})$/i.exec(text ?? '') ?? [];
  if (number === undefined) return null;
  const factor = unit === 'em' ? em : unit === 'rem' ? BODY_STYLE.fontSize : POINTS[unit.toLowerCase()];
  if (factor === undefined) return Number(number) === 0 ? 0 : null;
  return clamp(Number(number) * factor, 0, MAX_POINTS);
}

/** A colour as `#rrggbb`; null for what is none. */
export function color(text: string | undefined): string | null {
  const value = text?.toLowerCase() ?? '';
  if (/^#[0-9a-f]{6}$/.test(value)) return value;
  if (/^#[0-9a-f]{3}$/.test(value)) return `#${[...value.slice(1)].map((each) => each + each).join('')}`;
  const [, ...parts] = /^rgb\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})\s*\)$/.exec(value) ?? [];
  if (parts.length === 3)
    return `#${parts.map((each) => Math.min(255, Number(each)).toString(16).padStart(2, '0')).join('')}`;
  return Object.hasOwn(COLORS, value) ? COLORS[value]! : null;
}

function fontSize(text: string | undefined, parent: number): number | null {
  if (text === undefined) return null;
  if (text.endsWith('%')) return (Number.parseFloat(text) / 100) * parent || null;
  return SIZES[text] ?? length(text, parent);
}

function lineHeight(text: string, { fontSize: size }: TextStyle): number | null {
  const factor = /^\d{1,2}(\.\d+)?$/.test(text) ? Number(text) : (length(text, size) ?? 0) / size;
  return factor > 0 ? clamp(factor, 0.8, 4) / FONT_LINE : null;
}

/** `margin` or `padding` of four sides. Later forms do not win over longer names. */
function sides(name: string, css: Declarations, em: number, fallback: Sides): Sides {
  const short = css.get(name)?.split(/\s+/, 4);
  const [top, right = top, bottom = top, left = right] = short ?? [];
  const written = { top, right, bottom, left };
  const of = (side: keyof typeof written, index: number): number =>
    length(css.get(`${name}-${side}`) ?? written[side], em) ?? (short ? 0 : fallback[index]!);
  return [of('top', 0), of('right', 1), of('bottom', 2), of('left', 3)];
}

function line(side: string, css: Declarations, em: number): Line | null {
  const text = css.get(`border-${side}`) ?? css.get('border');
  if (text === undefined || /\b(none|hidden)\b/.test(text)) return null;
  let width: number | null = null;
  let found: string | null = null;
  for (const word of text.split(/\s+(?![^(]*\))/, 4)) {
    width ??= word === 'thin' ? 0.75 : word === 'medium' ? 2 : word === 'thick' ? 4 : length(word, em);
    found ??= color(word);
  }
  return width === 0 ? null : { width: clamp(width ?? 1, 0.1, 10), color: found ?? '#000000' };
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
