import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pdfPages, pdfSource } from '../../harness/pdf-text.js';
import { type PdfOptions, type RenderedPdf } from '#libs/pdf/pdf.js';
import { PdfRenderer } from '#libs/pdf/pdf-renderer.js';

const OPTIONS: PdfOptions = {
  ...{ format: 'html', title: 'A letter', author: 'Acme', locale: 'en', pageSize: 'A4', footer: 'Acme · A letter' },
  createdAt: '2026-12-01T10:00:00.000Z',
};
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAIAAAACUFjqAAAAEklEQVR4nGP4z8CAB+GTG8HSALfKY52fTcuYAAAAAElFTkSuQmCC',
  'base64',
);

describe('PDF', () => {
  let renderer: PdfRenderer;

  beforeAll(() => {
    renderer = new PdfRenderer();
  });
  afterAll(() => renderer.onApplicationShutdown());

  const render = (html: string, options: Partial<PdfOptions> = {}) =>
    renderer.render('tenant', html, { ...OPTIONS, ...options });
  const pdf = async (html: string, options: Partial<PdfOptions> = {}): Promise<RenderedPdf> => {
    const outcome = await render(html, options);
    if ('fault' in outcome) throw new Error(outcome.fault.detail);
    return outcome.pdf;
  };
  const textOf = async (html: string, options: Partial<PdfOptions> = {}): Promise<string> =>
    pdfPages((await pdf(html, options)).bytes).join('\n');

  it('shows headings, emphasis, lists and tables, with the number of each page', async () => {
    const html = `<style>.n { text-align: right }</style><h1>Title</h1><p>Plain <b>bold</b> <i>slanted</i></p>
      <ul><li>one<li>two</ul><table><tr><td>Cell</td><td class="n">1,00</td></tr></table>`;
    const text = await textOf(html);
    for (const word of ['Title', 'bold', 'slanted', 'one', 'two', 'Cell', '1,00', 'Acme · A letter', '1 / 1'])
      expect(text).toContain(word);
  });

  it('repeats the head of a table on each page, and numbers the pages', async () => {
    const rows = Array.from({ length: 90 }, (_, index) => `<tr><td>Row ${index}</td><td>x</td></tr>`).join('');
    const { bytes, pages } = await pdf(`<table><thead><tr><th>Work</th><th>Sum</th></tr></thead>${rows}</table>`);
    const shown = pdfPages(bytes);
    expect(pages).toBeGreaterThan(2);
    expect(shown).toHaveLength(pages);
    shown.forEach((page, index) => {
      expect(page).toContain('Work');
      expect(page).toContain(`${index + 1} / ${pages}`);
    });
    for (let index = 0; index < 90; index++)
      expect(shown.filter((page) => new RegExp(`Row ${index}\\b`).test(page))).toHaveLength(1);
  });

  it('keeps a heading with what follows', async () => {
    const before = Array.from({ length: 40 }, (_, index) => `<p>Line ${index}</p>`).join('');
    for (let lines = 20; lines < 40; lines++) {
      const pages = pdfPages(
        (await pdf(`${before}<div>${'filler<br>'.repeat(lines)}</div><h2>Alone</h2><p>${'word '.repeat(200)}</p>`))
          .bytes,
      );
      const page = pages.find((text) => text.includes('Alone'))!;
      expect(page.slice(page.indexOf('Alone'))).toContain('word');
    }
  });

  it('takes A4 and Letter, by the options or the styles', async () => {
    const boxes = async (html: string, options: Partial<PdfOptions>) =>
      /\/MediaBox \[[^\]]*\]/.exec(pdfSource((await pdf(html, options)).bytes))?.[0];
    expect(await boxes('<p>a</p>', {})).toContain('595.28 841.89');
    expect(await boxes('<p>a</p>', { pageSize: 'Letter' })).toContain('612 792');
    expect(await boxes('<style>@page { size: letter }</style><p>a</p>', {})).toContain('612 792');
  });

  it('has letters of many scripts, and says where it has none', async () => {
    const words = ['Grüße', 'Łódź', 'Αθήνα', 'Москва', '株式会社', '你好', '안녕하세요', 'Հայ', 'ქართ', '₹', '→'];
    const text = await textOf(`<p>${words.join('<br>')}<br>\u{1f600}\u{12000}</p>`);
    for (const word of words) expect(text.replaceAll(' ', '')).toContain(word);
    expect(text).toContain('\ufffd');
  });

  it('reads Markdown and plain text', async () => {
    const text = await textOf('# Title\n\n- one\n- **two**\n\n| a | b |\n| - | - |\n| 1 | 2 |', { format: 'markdown' });
    expect(text).toMatch(/Title.*one.*two.*a.*b.*1.*2/);
    expect(text).not.toMatch(/[#*|]/);
    expect(await textOf('a <b>\n  c', { format: 'text' })).toContain('<b>');
  });

  it('makes the same bytes of the same text, as PDF/A-3 with embedded fonts', async () => {
    const html = '<h1>Same</h1><p>日本</p>';
    const [first, second] = [await pdf(html), await pdf(html)];
    expect(Buffer.from(first.bytes).equals(Buffer.from(second.bytes))).toBe(true);
    const source = pdfSource(first.bytes);
    expect(source).toContain('<pdfaid:part>3</pdfaid:part>');
    expect(source).not.toMatch(/\/BaseFont \/(Helvetica|Times|Courier)/);
    expect(source.match(/\/FontFile[23] \d+ 0 R/g)!.length).toBeGreaterThanOrEqual(2);
  });

  it('embeds files, and metadata', async () => {
    const bytes = Buffer.from('<invoice/>');
    const { bytes: made } = await pdf('<p>a</p>', {
      attachments: [
        { name: 'data.xml', bytes, mimeType: 'text/xml', description: 'Data', relationship: 'Alternative' },
      ],
      metadata: '<rdf:Description rdf:about="" xmlns:x="urn:x"><x:y>1</x:y></rdf:Description>',
    });
    const source = pdfSource(made);
    expect(source).toContain('/AFRelationship /Alternative');
    expect(source).toContain('<invoice/>');
    expect(source).toContain('<x:y>1</x:y>');
  });

  it('shows images that are given, and no others', async () => {
    const bomb = Buffer.from(PNG);
    bomb.writeUInt32BE(50_000, 16);
    bomb.writeUInt32BE(50_000, 20);
    const images = { logo: PNG, bomb, html: Buffer.from('<html>'), cut: PNG.subarray(0, 40) };
    const drawn = async (html: string) =>
      (pdfSource((await pdf(html, { images })).bytes).match(/\/I\d+ Do/g) ?? []).length;
    expect(await drawn('<img src="file:logo" width="50">')).toBe(1);
    for (const id of ['bomb', 'html', 'cut', 'unknown', '__proto__', 'constructor'])
      expect(await drawn(`<p>a</p><img src="file:${id}">`)).toBe(0);
    expect(await render('<img src="file:logo">'.repeat(11), { images })).toMatchObject({
      fault: { code: 'pdf_too_large' },
    });
  });

  it('loads nothing and runs nothing', async () => {
    const requests: string[] = [];
    const server = createServer((request, response) => {
      requests.push(request.url ?? '');
      response.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const html = `<link rel="stylesheet" href="${url}/a"><script>alert(1)</script><style>@import url(${url}/b);
      p { background: url(${url}/c) }</style><img src="${url}/d"><img src="/etc/passwd"><img src="file:///etc/passwd">
      <iframe src="${url}/e">in</iframe><object data="${url}/f"></object><p onclick="alert(2)">Text
      <a href="javascript:alert(3)">bad</a> <a href=" JaVa&#10;script:alert(4)">worse</a> <a href="https://a.example/ok">good</a>
      <a href="file:///etc/passwd">local</a></p><svg onload="alert(5)"><text>drawn</text></svg>`;
    const { bytes } = await pdf(html);
    await new Promise((resolve) => server.close(resolve));
    expect(requests).toEqual([]);
    const source = pdfSource(bytes);
    expect(source.replaceAll(/[^\x20-\x7e]/g, '')).not.toMatch(/alert|\/JavaScript|\/JS\b|\/Launch|passwd|root:/);
    expect([...source.matchAll(/\/URI \(([^)]*)\)/g)].map(([, uri]) => uri)).toEqual(['https://a.example/ok']);
    expect(pdfPages(bytes).join()).toMatch(/Text.*bad.*worse.*good.*local/);
  });

  it('escapes what stands in its metadata', async () => {
    const title = 'A & B </rdf:li><x/> (c) \\';
    const source = pdfSource((await pdf('<p>a</p>', { title })).bytes);
    expect(source).toContain('A &amp; B &lt;/rdf:li&gt;&lt;x/&gt;');
    expect(source.slice(source.indexOf('<?xpacket begin'))).not.toContain('<x/>');
  });

  it.each([
    ['deep nesting', '<div>'.repeat(5_000)],
    ['deep tables', '<table><tr><td>'.repeat(6)],
    ['a huge table', '<table>' + '<tr><td>a<td>b'.repeat(40_000)],
    ['a wide table', `<table><tr>${'<td>a'.repeat(500)}`],
    ['a wide cell beside a wide cell', `<table><tr>${'<td colspan=40>a'.repeat(3)}`],
    ['endless text', 'word '.repeat(250_000)],
    ['pages without end', '<p style="page-break-before: always">a</p>'.repeat(2_000)],
  ])('refuses %s', async (_, html) => {
    expect(await render(html)).toMatchObject({ fault: { code: expect.stringMatching(/^pdf_too_(large|costly)$/) } });
  });

  it.each([
    ['a word without end', 'x'.repeat(200_000)],
    ['many words', '<p>' + 'a b '.repeat(100_000)],
    ['many pieces', '<p>' + '<b>a</b><i>b</i>'.repeat(14_000)],
    [
      'a cell higher than a page',
      `<table><thead><tr><th>h</th></tr></thead><tr><td>${'line<br>'.repeat(2_000)}</td></tr></table>`,
    ],
    [
      'a head higher than a page',
      `<table><thead><tr><th>${'line<br>'.repeat(2_000)}</th></tr></thead><tr><td>a</td></tr></table>`,
    ],
    ['what may not break', `<div style="page-break-inside: avoid">${'line<br>'.repeat(3_000)}</div>`],
    ['huge sizes', '<p style="font-size: 9999pt; margin: 9999mm; line-height: 99">a</p><hr style="width: 99999px">'],
    [
      'spans that reach nowhere',
      '<table><tr><td rowspan=9999 colspan=30>a<td>b<tr><td>c<td rowspan=5>d<tr><tr><td>e</table>',
    ],
    ['many rules', `<style>${'.a .b p { color: red }'.repeat(5_000)}</style>${'<p class="a">x</p>'.repeat(2_000)}`],
    [
      'styles without end',
      `<style>${'@media x {'.repeat(8_000)}${'/*'.repeat(10_000)}${'a{'.repeat(9_000)}</style><p>a</p>`,
    ],
    ['lists in lists', '<ul><li>'.repeat(25) + 'a'],
    ['nothing', ''],
  ])('does not block the process with %s', async (_, html) => {
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    const outcome = await render(html);
    delay.disable();
    expect(delay.max / 1e6).toBeLessThan(1_000);
    if ('fault' in outcome) expect(outcome.fault.code).toMatch(/^pdf_too_(large|costly)$/);
    else expect(outcome.pdf.pages).toBeGreaterThan(0);
    expect(await textOf('<p>next</p>')).toContain('next');
  });
});
