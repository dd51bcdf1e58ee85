import { type Problem } from '#libs/kernel/problem.js';
import { documentLines, type DocumentRules, lineInputOf, ratesOf, taxRateIdsOf } from './document-lines.js';

const VAT = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20';
const LINE = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21';
const OTHER = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22';
const rules: DocumentRules = {
  taxInclusive: false,
  taxRounding: 'line',
  rates: new Map([[VAT, { name: 'VAT', percent: 19 }]]),
};
const work = { description: 'Work', unitPriceMinor: 10_000 };

it('completes a line with nothing but a description and a price', () => {
  const { lineItems, header, taxBreakdown } = documentLines([work], rules);
  expect(lineItems).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      position: 1,
      productId: null,
      description: 'Work',
      quantity: 1,
      unit: null,
      unitPriceMinor: 10_000,
      discountPercent: 0,
      taxRateId: null,
      taxName: null,
      taxPercent: null,
      grossMinor: 10_000,
      discountMinor: 0,
      netMinor: 10_000,
      taxMinor: 0,
      totalMinor: 10_000,
    },
  ]);
  expect(header.totalMinor).toBe(10_000);
  expect(taxBreakdown).toEqual([]);
});

it('takes over the name and percentage of a rate', () => {
  const { lineItems, taxBreakdown } = documentLines([{ ...work, taxRateId: VAT }], rules);
  expect(lineItems[0]).toMatchObject({ taxRateId: VAT, taxName: 'VAT', taxPercent: 19, taxMinor: 1_900 });
  expect(taxBreakdown).toEqual([{ taxRateId: VAT, name: 'VAT', percent: 19, baseMinor: 10_000, taxMinor: 1_900 }]);
});

it('names each rate once', () => {
  expect(taxRateIdsOf([{ taxRateId: VAT }, {}, { taxRateId: null }, { taxRateId: VAT }])).toEqual([VAT]);
});

it('works kept lines out again to what they were, ids included', () => {
  const { lineItems } = documentLines([{ ...work, taxRateId: VAT }, { ...work, taxPercent: 7 }, work], rules);
  const again = documentLines(lineItems.map(lineInputOf), { ...rules, rates: ratesOf(lineItems), present: lineItems });
  expect(again.lineItems).toEqual(lineItems);
});

it('keeps the id of a line that moves and gives a new line one of its own', () => {
  const { lineItems } = documentLines([work, { ...work, id: LINE }], { ...rules, present: [{ id: LINE }] });
  expect(lineItems[1]).toMatchObject({ id: LINE, position: 2 });
  expect(lineItems[0]!.id).not.toBe(LINE);
});

it('refuses every line that makes no sense, all at once', () => {
  const input = [
    { ...work, taxRateId: VAT, taxPercent: 19 },
    { ...work, taxRateId: OTHER },
    { ...work, id: OTHER },
    { ...work, id: LINE },
    { ...work, id: LINE },
  ];
  const refused = () => documentLines(input, { ...rules, present: [{ id: LINE }], pointer: '/lines' });
  let problem: Problem | null = null;
  try {
    refused();
  } catch (error) {
    problem = error as Problem;
  }
  expect(problem?.more.errors?.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
    '/lines/0/taxPercent not_with_tax_rate',
    '/lines/1/taxRateId unknown_reference',
    '/lines/2/id unknown_line',
    '/lines/4/id not_unique',
  ]);
});
