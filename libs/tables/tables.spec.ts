import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import ExcelJS from 'exceljs';
import { csvWriter } from './csv-writer.js';
import { MAX_SHEET_ROWS, sheetWriter } from './sheet-writer.js';
import type { TableColumn, TableValue, TableWriter } from './table.js';
import { workbookOf } from './workbook.js';

const COLUMNS: TableColumn[] = [
  { key: 'name', kind: 'text' },
  { key: 'count', kind: 'number' },
  { key: 'isOpen', kind: 'flag' },
  { key: 'day', kind: 'date' },
  { key: 'at', kind: 'instant' },
  { key: 'value', kind: 'amount' },
];
const ROWS: TableValue[][] = [
  ['Ä "quoted", 日本', -1, true, '2026-11-21', '2026-11-21T09:15:02.000Z', { minor: -123456, currency: 'EUR' }],
  ['=HYPERLINK("http://x")', 9_007_199_254_740_991, false, '1899-12-31', null, { minor: 5, currency: 'JPY' }],
  [null, 0.5, null, null, null, { minor: 7, currency: 'KWD' }],
];
const textOf = ({ head, rows, tail }: TableWriter, of = ROWS) =>
  head + rows(of.slice(0, 2), 0) + rows(of.slice(2), 2) + tail;

/** The workbook as another library reads it. */
async function read(columns: TableColumn[], rows: TableValue[][]): Promise<ExcelJS.Worksheet> {
  const file = await buffer(workbookOf(Readable.from([textOf(sheetWriter(columns), rows)], { objectMode: false })));
  const workbook = new ExcelJS.Workbook();
  await workbook.xlsx.load(file as unknown as ArrayBuffer); // its types are older than those of Node
  return workbook.worksheets[0]!;
}

describe('csv', () => {
  it('keeps numbers, neutralizes formulas, and shows amounts in major units', () => {
    expect(textOf(csvWriter(COLUMNS, { locale: 'en', byteOrderMark: false }))).toBe(
      [
        'name,count,isOpen,day,at,value',
        '"Ä ""quoted"", 日本",-1,true,2026-11-21,2026-11-21T09:15:02.000Z,-1234.56',
        `"'=HYPERLINK(""http://x"")",9007199254740991,false,1899-12-31,,5`,
        ',0.5,,,,0.007',
        '',
      ].join('\r\n'),
    );
  });

  it('has the decimal separator of the locale in amounts, in Latin digits, and begins with a byte order mark on request', () => {
    const amounts = [{ key: 'value', kind: 'amount' as const }];
    const lines = (locale: string) =>
      textOf(csvWriter(amounts, { locale, byteOrderMark: true }), [[{ minor: -123456, currency: 'EUR' }]]);
    expect(lines('de-DE')).toBe('\ufeffvalue\r\n"-1234,56"\r\n');
    expect(lines('en-US')).toBe('\ufeffvalue\r\n-1234.56\r\n');
    expect(lines('ar-EG')).toMatch(/^\ufeffvalue\r\n"?-1234[.,]56"?\r\n$/);
  });
});

describe('xlsx', () => {
  it('has typed cells and a bold header that stays in place', async () => {
    const sheet = await read(COLUMNS, ROWS);
    expect(sheet.views[0]).toMatchObject({ state: 'frozen', ySplit: 1 });
    expect(sheet.getRow(1).values).toEqual([undefined, ...COLUMNS.map(({ key }) => key)]);
    expect(sheet.getCell('A1').font).toMatchObject({ bold: true });
    expect(sheet.getRow(2).values).toEqual([
      ...[undefined, 'Ä "quoted", 日本', -1, true],
      ...[new Date('2026-11-21T00:00:00Z'), new Date('2026-11-21T09:15:02Z'), -1234.56],
    ]);
    expect([sheet.getCell('D2').numFmt, sheet.getCell('E2').numFmt]).toEqual(['yyyy-mm-dd', 'yyyy-mm-dd hh:mm:ss']);
    expect(['F2', 'F3', 'F4'].map((cell) => sheet.getCell(cell).numFmt)).toEqual(['#,##0.00', '#,##0', '#,##0.000']);
    // A formula stays a text, as do numbers and days that a spreadsheet cannot represent.
    expect(sheet.getRow(3).values).toEqual([
      ...[undefined, '=HYPERLINK("http://x")', '9007199254740991', false, '1899-12-31', undefined, 5],
    ]);
    expect(sheet.getCell('A3').type).toBe(ExcelJS.ValueType.String);
    expect(sheet.rowCount).toBe(4);
  });

  it.each(['<b>&amp;</b> ]]>', ' two  spaces ', 'a\ttab\nline', '😀', '_x0041_'])('keeps %j', async (text) => {
    const sheet = await read([COLUMNS[0]!], [[text]]);
    expect(sheet.getCell('A2').value).toBe(text.replace('_x0041_', '_x005F_x0041_')); // this reader decodes no escapes
  });

  it('leaves out what XML cannot contain, and what is too long for a cell', async () => {
    const sheet = await read([COLUMNS[0]!], [['a\u0000\u0008\u001f\ufffeb'], ['x'.repeat(40_000)]]);
    expect(sheet.getCell('A2').value).toBe('ab');
    expect(sheet.getCell('A3').value).toHaveLength(32_767);
  });

  it('names columns after Z, and refuses more rows than a sheet has', async () => {
    const many = Array.from({ length: 703 }, (_, i) => ({ key: `c${i}`, kind: 'number' as const }));
    const sheet = await read(many, [many.map((_, i) => i)]);
    expect([sheet.getCell('Z2').value, sheet.getCell('AA2').value, sheet.getCell('AAA2').value]).toEqual([25, 26, 702]);
    const writer = sheetWriter([COLUMNS[0]!]);
    expect(() => writer.rows([['x']], MAX_SHEET_ROWS - 2)).not.toThrow();
    expect(() => writer.rows([['x']], MAX_SHEET_ROWS - 1)).toThrow('no room');
  });
});
