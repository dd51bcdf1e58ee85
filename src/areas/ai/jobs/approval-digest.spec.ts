import fc from 'fast-check';
import { digestOf } from '#libs/kernel/canonical.js';
import { approvalDigestOf, type Decided } from './approval-digest.js';

const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 });
const tools = fc.uniqueArray(fc.constantFrom('deals.search', 'deals.get', 'deals.update', 'tasks.create'));
const FIELDS: { [F in keyof Decided]: fc.Arbitrary<Decided[F]> } = {
  kind: fc.constantFrom('text.generate', 'text.summarize', 'agent.run'),
  agentId: fc.option(fc.uuid()),
  agentVersion: fc.option(fc.integer({ min: 1, max: 1_000 })),
  provider: fc.string({ minLength: 1, maxLength: 20 }),
  model: fc.string({ minLength: 1, maxLength: 20 }),
  inputHash: hex,
  tools,
  maxOutputTokens: fc.integer({ min: 64, max: 1_000_000 }),
  approvedCapMicros: fc.integer({ min: 1, max: 1_000_000_000 }),
};
const decided = fc.record(FIELDS) as fc.Arbitrary<Decided>;
const field = fc.constantFrom(...(Object.keys(FIELDS) as (keyof Decided)[]));

test('10,000 changes of what was approved: the digest is another one each time', () => {
  let changed = 0;
  fc.assert(
    fc.property(decided, decided, field, (job, donor, name) => {
      const other = { ...job, [name]: donor[name] };
      const isSame = digestOf(other) === digestOf(job);
      if (!isSame) changed++;
      return (approvalDigestOf(other) === approvalDigestOf(job)) === isSame;
    }),
    { numRuns: 12_000, seed: 6 },
  );
  expect(changed).toBeGreaterThanOrEqual(10_000);
});

test('the order of members is nothing that the digest goes by', () => {
  fc.assert(
    fc.property(decided, (job) => {
      const reversed = Object.fromEntries(Object.entries(job).reverse()) as unknown as Decided; // the same members
      return approvalDigestOf(reversed) === approvalDigestOf(job);
    }),
  );
});
