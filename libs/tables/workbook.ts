import type { PassThrough, Readable } from 'node:stream';
import yazl from 'yazl';

/** The numbers of decimals that currencies have, in the order of {@link STYLES}. */
export const DECIMALS = [0, 2, 3, 4];
/** Styles of cells, by their place in the style sheet. */
export const STYLES = { header: 1, date: 2, instant: 3, amounts: [4, 5, 6, 7] };

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const MEDIA = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const SHEET = 'xl/worksheets/sheet1.xml';

const FORMATS = [
  'yyyy-mm-dd',
  'yyyy-mm-dd hh:mm:ss',
  ...DECIMALS.map((each) => `#,##0${each ? '.' : ''}${'0'.repeat(each)}`),
];
const styleSheet =
  `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="${FORMATS.length}">` +
  FORMATS.map((code, index) => `<numFmt numFmtId="${164 + index}" formatCode="${code}"/>`).join('') +
  '</numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  `<cellXfs count="${FORMATS.length + 2}"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
  '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>' +
  FORMATS.map(
    (_, index) => `<xf numFmtId="${164 + index}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`,
  ).join('') +
  '</cellXfs></styleSheet>';

const relation = (id: number, type: string, target: string) =>
  `<Relationship Id="rId${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
const relations = (...all: string[]) =>
  `${XML}<Relationships xmlns="${PACKAGE}/relationships">${all.join('')}</Relationships>`;

/** The parts of a workbook besides its only sheet. */
const PARTS: Record<string, string> = {
  '[Content_Types].xml':
    `${XML}<Types xmlns="${PACKAGE}/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    '<Default Extension="xml" ContentType="application/xml"/>' +
    `<Override PartName="/xl/workbook.xml" ContentType="${MEDIA}.sheet.main+xml"/>` +
    `<Override PartName="/${SHEET}" ContentType="${MEDIA}.worksheet+xml"/>` +
    `<Override PartName="/xl/styles.xml" ContentType="${MEDIA}.styles+xml"/></Types>`,
  '_rels/.rels': relations(relation(1, 'officeDocument', 'xl/workbook.xml')),
  'xl/workbook.xml': `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="Records" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': relations(
    relation(1, 'worksheet', 'worksheets/sheet1.xml'),
    relation(2, 'styles', 'styles.xml'),
  ),
  'xl/styles.xml': styleSheet,
};

/** The workbook (xlsx) with one sheet, as a stream that reads the text of the sheet only as fast as it is read itself. */
export function workbookOf(sheet: Readable): Readable {
  const zip = new yazl.ZipFile();
  const out = zip.outputStream as PassThrough; // its type names the interface alone
  zip.once('error', (error) => out.destroy(error as Error));
  for (const [path, text] of Object.entries(PARTS)) zip.addBuffer(Buffer.from(text), path);
  zip.addReadStream(sheet, SHEET, { compressionLevel: 4 });
  zip.end();
  return out;
}
