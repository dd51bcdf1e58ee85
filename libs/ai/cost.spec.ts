import fc from 'fast-check';
import { costOf, fittingOutput, inputBound, OUTPUT_FLOOR, worstCase } from './cost.js';

const perThousand = fc.integer({ min: 0, max: 1_000_000_000 });
const prices = fc.record({
  from: fc.constant('2026-01-01T00:00:00.000Z'),
  inputMicrosPer1k: perThousand,
  outputMicrosPer1k: perThousand,
  cachedMicrosPer1k: perThousand,
});
const tokens = fc.integer({ min: 0, max: 2_000_000 });
const RUNS = { numRuns: 2_000 };

it('no usage within the bounds of a call costs more than its worst case', () => {
  const usages = fc.tuple(tokens, tokens, fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(3_000_000)); // prettier-ignore
  fc.assert(
    fc.property(usages, prices, ([input, output, partIn, partOut, cachedTokens], price) => {
      const usage = {
        inputTokens: Math.floor(input * partIn),
        outputTokens: Math.floor(output * partOut),
        cachedTokens,
      };
      expect(costOf(usage, price)).toBeLessThanOrEqual(worstCase(input, output, price));
    }),
    RUNS,
  );
});

it('costs are exact in thousandths and rounded up once', () => {
  fc.assert(
    fc.property(tokens, tokens, prices, (inputTokens, outputTokens, price) => {
      const exact = BigInt(inputTokens) * BigInt(price.inputMicrosPer1k) + BigInt(outputTokens) * BigInt(price.outputMicrosPer1k); // prettier-ignore
      const cost = BigInt(costOf({ inputTokens, outputTokens, cachedTokens: 0 }, price));
      expect(cost * 1_000n >= exact && (cost - 1n) * 1_000n < exact).toBe(true);
    }),
    RUNS,
  );
});

it('the longest answer that fits costs no more than what is left, and one token more would', () => {
  fc.assert(
    fc.property(
      tokens,
      tokens,
      fc.integer({ min: 0, max: 1_000_000_000_000 }),
      prices,
      (input, wanted, left, price) => {
        const fitting = fittingOutput(input, wanted, left, price);
        const longest = fitting ?? OUTPUT_FLOOR - 1;
        if (fitting !== null) {
          expect(fitting).toBeLessThanOrEqual(wanted);
          expect(fitting).toBeGreaterThanOrEqual(OUTPUT_FLOOR);
          expect(worstCase(input, fitting, price)).toBeLessThanOrEqual(left);
        }
        if (longest < wanted) expect(worstCase(input, longest + 1, price)).toBeGreaterThan(left);
      },
    ),
    RUNS,
  );
});

it('a cost beyond every number that JSON can hold is the highest one', () => {
  const price = { from: '', inputMicrosPer1k: 1e12, outputMicrosPer1k: 1e12, cachedMicrosPer1k: 0 };
  expect(worstCase(1e10, 1e10, price)).toBe(Number.MAX_SAFE_INTEGER);
});

it('everything that is sent counts for the bound on the input, in bytes', () => {
  const call = {
    system: 'Zusammenfassen für Ärzte',
    messages: [
      { role: 'user', text: '日本語' },
      { role: 'assistant', text: null, toolCalls: [{ id: 'a', name: 'deals__search', params: { q: 'Acme' } }] },
      { role: 'tool', toolCallId: 'a', text: '[]' },
    ],
    tools: [{ name: 'deals__search', description: 'Finds deals', parameters: { type: 'object' } }],
    outputSchema: { type: 'object' },
  } as const;
  const bytes = (value: unknown) => Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value));
  const all = [call.system, '日本語', call.messages[1].toolCalls[0], '[]', call.tools[0], call.outputSchema];
  expect(inputBound(call)).toBe(all.reduce<number>((sum, each) => sum + bytes(each) + 16, 640));
  expect(inputBound({ system: null, messages: [{ role: 'user', text: 'x' }], tools: [], outputSchema: null })).toBe(17);
});
