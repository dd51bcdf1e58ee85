import { fold } from '#libs/kernel/fold.js';
import type { HandoffMatch } from './handoff.parts.js';
import type { HandoffTemplate } from './handoff-template.js';

/** What a template is chosen by. */
export interface MatchedDeal {
  pipelineId: string;
  dealType: string;
  tags: readonly string[];
  valueMinor: number | null;
  currency: string;
}

/**
 * The template for a deal: of those whose criteria all match, the one with the most criteria, then the narrower value
 * range, then the older one; otherwise the default; null if there is none.
 */
export function chosenFor(
  deal: MatchedDeal,
  templates: readonly HandoffTemplate[],
  baseCurrency: string,
): HandoffTemplate | null {
  const [best] = templates
    .map((template) => ({ template, count: matching(deal, template.match, baseCurrency) }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || widthOf(a.template) - widthOf(b.template) || byAge(a.template, b.template));
  return best?.template ?? templates.find(({ isDefault }) => isDefault) ?? null;
}

/** Number of criteria if all of them match the deal; 0 if one does not, or if there are none. */
function matching(deal: MatchedDeal, match: HandoffMatch, baseCurrency: string): number {
  const { pipelineIds, dealTypes, tags, minValueMinor: min, maxValueMinor: max } = match;
  const ofDeal = new Set(deal.tags.map(fold));
  const value = deal.currency === baseCurrency ? deal.valueMinor : null;
  const criteria = [
    pipelineIds.length > 0 ? pipelineIds.includes(deal.pipelineId) : null,
    dealTypes.length > 0 ? dealTypes.includes(deal.dealType) : null,
    tags.length > 0 ? tags.some((tag) => ofDeal.has(fold(tag))) : null,
    min !== null || max !== null ? value !== null && value >= (min ?? 0) && value <= (max ?? Infinity) : null,
  ].filter((each) => each !== null);
  return criteria.every(Boolean) ? criteria.length : 0;
}

/** Infinite without a maximum. */
function widthOf({ match: { minValueMinor, maxValueMinor } }: HandoffTemplate): number {
  return maxValueMinor === null ? Number.MAX_VALUE : maxValueMinor - (minValueMinor ?? 0);
}

function byAge(a: HandoffTemplate, b: HandoffTemplate): number {
  return a.createdAt === b.createdAt ? (a.id < b.id ? -1 : 1) : a.createdAt < b.createdAt ? -1 : 1;
}
