import type { SampleMove, SampleStory } from '#libs/resource/sample/sample-story.js';
import { proposalLines } from './proposals/proposal-lines.js';

/** A proposal: deal (index), name, days of work, days since its creation, whether it waits for approval. */
const PROPOSALS = [
  [18, 'Furnace control, first stage', 22, 20, false],
  [16, 'Regional rollout', 40, 6, true],
] as const;
const TAX_PERCENT = 19;

/** Proposals that have not been sent, and texts for them. */
export function proposalsSample(story: SampleStory): void {
  PROPOSALS.forEach((each, index) => proposal(story, each, index));
  story.record(
    {
      ...{ key: 'content block 0', table: 'data.proposals_content_blocks', name: 'About us' },
      ...{ reference: 'BLOCK-000001', createdAt: story.at(120) },
    },
    { kind: 'introduction', locale: null, body: 'We build and run systems for plants, depots and clinics.' },
  );
}

function proposal(story: SampleStory, each: (typeof PROPOSALS)[number], index: number): void {
  const [deal, name, days, daysAgo, isSubmitted] = each;
  const key = `proposal ${index}`;
  const reference = `PROP-00000${index + 1}`;
  const createdAt = story.at(daysAgo, 9);
  const moves: SampleMove[] = isSubmitted
    ? [{ action: 'submit', from: 'draft', to: 'pending_approval', at: story.at(daysAgo - 1, 11) }]
    : [];
  const price = { unitPriceMinor: story.minor(1_200), taxPercent: TAX_PERCENT };
  const { lineItems, header, taxBreakdown } = proposalLines(
    [
      { description: 'Consulting', quantity: days, unit: 'day', ...price, productId: story.id('product 0') },
      { description: 'Training', quantityChoices: [1, 2, 4], unit: 'day', ...price, isOptional: true },
    ],
    { taxInclusive: false, taxRounding: 'line', rates: new Map(), present: [], costs: new Map() },
  );
  story.record(
    {
      ...{ key, table: 'data.proposals_proposals', name, reference, createdAt },
      ...{ version: 1 + moves.length, updatedAt: moves.at(-1)?.at ?? createdAt },
    },
    {
      ...{ status: moves.at(-1)?.to ?? 'draft', number: `DEMO-${reference}`, versionNumber: 1, rootId: story.id(key) },
      ...{ dealId: story.id(`deal ${deal}`), accountId: story.get(`deal ${deal}`, 'accountId'), contactId: null },
      ...{ currency: story.currency, lineItems, taxInclusive: false, ...header, taxBreakdown },
      ...{ validUntilDate: story.day(daysAgo - 60), introduction: null, terms: null },
    },
  );
  story.moves('proposals.proposal', key, createdAt, moves);
}
