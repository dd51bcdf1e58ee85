import { inflateSync } from 'node:zlib';

/** The text of each page of a PDF of ours, in the order in which it is drawn, pieces parted by spaces. */
export function pdfPages(pdf: Uint8Array): string[] {
  const objects = objectsOf(Buffer.from(pdf));
  const fonts = new Map<string, Map<string, string>>();
  for (const { text } of objects.values())
    for (const [, name = '', id = ''] of text.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const [, unicode = ''] = /\/ToUnicode (\d+) 0 R/.exec(objects.get(id)?.text ?? '') ?? [];
      fonts.set(name, charactersOf(objects.get(unicode)?.stream ?? ''));
    }
  return [...objects.values()]
    .filter(({ text }) => /\/Type \/Page\b(?!s)/.test(text))
    .map(({ text }) => textOf(objects.get(/\/Contents (\d+) 0 R/.exec(text)![1]!)!.stream, fonts));
}

/** All that a PDF says outside of its streams, and in those that are text. */
export function pdfSource(pdf: Uint8Array): string {
  return [...objectsOf(Buffer.from(pdf)).values()].map(({ text, stream }) => `${text}\n${stream}`).join('\n');
}

function objectsOf(pdf: Buffer): Map<string, { text: string; stream: string }> {
  const found = new Map<string, { text: string; stream: string }>();
  const source = pdf.toString('latin1');
  for (const match of source.matchAll(/(?:^|\n)(\d+) 0 obj\n/g)) {
    const start = match.index + match[0].length;
    const length = Number(/^<<[^]*?\/Length (\d+)/.exec(source.slice(start, start + 2_000))?.[1] ?? -1);
    const streamAt = source.indexOf('\nstream\n', start);
    const end = source.indexOf('\nendobj', start);
    const hasStream = length >= 0 && streamAt >= 0 && streamAt < end;
    const text = source.slice(start, hasStream ? streamAt : end);
    const bytes = pdf.subarray(streamAt + 8, streamAt + 8 + length);
    const stream = !hasStream
      ? ''
      : text.includes('/FlateDecode')
        ? inflateSync(bytes).toString('utf8')
        : bytes.toString('utf8');
    found.set(match[1]!, { text, stream });
  }
  return found;
}

/** Characters by the code of their glyph. */
function charactersOf(map: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, first = '', , list = ''] of map.matchAll(/<([0-9a-f]{4})> <([0-9a-f]{4})> \[([^\]]*)\]/gi))
    [...list.matchAll(/<([0-9a-f ]*)>/gi)].forEach(([, hex = ''], index) => {
      const code = (Number.parseInt(first, 16) + index).toString(16).padStart(4, '0');
      found.set(code, Buffer.from(hex.replaceAll(' ', ''), 'hex').swap16().toString('utf16le'));
    });
  return found;
}

function textOf(content: string, fonts: ReadonlyMap<string, ReadonlyMap<string, string>>): string {
  let font: ReadonlyMap<string, string> = new Map();
  const pieces: string[] = [];
  for (const [, name, shown] of content.matchAll(/\/(F\d+) [\d.]+ Tf|\[([^\]]*)\] TJ/g)) {
    if (name) font = fonts.get(name) ?? new Map<string, string>();
    else {
      const codes = [...(shown ?? '').matchAll(/<([0-9a-f]*)>/gi)].flatMap(([, hex = '']) => hex.match(/.{4}/g) ?? []);
      pieces.push(codes.map((code) => font.get(code.toLowerCase()) ?? '').join(''));
    }
  }
  return pieces.join(' ').replaceAll(/\s+/g, ' ');
}
