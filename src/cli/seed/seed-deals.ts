import { DAY_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { MAX_MINOR, toMinor } from '#libs/kernel/money.js';
import { DEFAULT_SETTINGS } from '#libs/settings/settings.model.js';
import type { ActorStamp } from '#libs/resource/types/record.entity.js';
import type { Deal } from '#src/areas/sales/deals/deal.js';
import type { Pipeline } from '#src/areas/sales/pipelines/pipeline.js';
import type { PipelineStage, RequirableField } from '#src/areas/sales/pipelines/pipeline.stages.js';
import { EMPTY_ENVELOPE } from '#libs/resource/types/record.entity.js';
import { Chance } from './seed-chance.js';
import { COMPANY_FIRST, COMPANY_SECOND, COMPETITORS, LOST_NOTES, NEXT_STEPS, SUBJECTS } from './seed-words.js';

/** Parameters of the sample deals. */
export interface SeedPlan {
  tenantId: string;
  /** Currency of most deals. */
  currency: string;
  pipeline: Pipeline;
  count: number;
  /** Number in the reference of the first deal; the others follow. */
  firstNumber: number;
  referenceOf(number: number): string;
  nowMs: number;
  actor: ActorStamp;
}

const SPAN_DAYS = 730;
const WIN_SHARE = 0.42;
const LINGER_SHARE = 0.08;
const REMEMBERED_WINS = 500;

/** Currencies with approximate rates per US dollar. */
const CURRENCIES = [['USD', 1], ['EUR', 0.9], ['GBP', 0.8], ['CHF', 0.85], ['JPY', 150], ['SEK', 10]] as const; // prettier-ignore
const RATES: ReadonlyMap<string, number> = new Map(CURRENCIES);
const TYPES = [['new_business', 60], ['expansion', 22], ['renewal', 18]] as const; // prettier-ignore
const SOURCES = [
  ['inbound', 30], ['outbound', 25], ['referral', 14], ['partner', 10], ['demo_request', 9], ['event', 7], ['other', 5],
] as const; // prettier-ignore

/** A won deal that can be renewed. */
interface Win {
  id: string;
  company: string;
  closedMs: number;
}

/** Progress of a deal. */
interface Course {
  stage: PipelineStage;
  enteredMs: number;
  updatedMs: number;
  changes: number;
}

/**
 * Generates deals in the order of creation, spread evenly over the last two years. Old deals are mostly won or lost,
 * recent ones are open in a matching stage. The same plan yields the same deals except for their ids.
 */
export class DealMaker {
  private readonly chance: Chance;
  private readonly open: PipelineStage[];
  private readonly won: PipelineStage;
  private readonly lost: PipelineStage[];
  private readonly wins: Win[] = [];
  private seenWins = 0;
  private made = 0;

  constructor(private readonly plan: SeedPlan) {
    const { stages } = plan.pipeline;
    this.chance = new Chance(plan.firstNumber);
    this.open = stages.filter(({ category }) => category === 'open');
    this.won = stages.find(({ category }) => category === 'won')!;
    this.lost = stages.filter(({ category }) => category === 'lost');
  }

  /** The next deals, at most `size`; empty when all have been generated. */
  batch(size: number): Deal[] {
    const length = Math.min(size, this.plan.count - this.made);
    return Array.from({ length }, () => this.deal(this.made++));
  }

  private deal(index: number): Deal {
    const { chance, plan } = this;
    const id = uuidv7();
    const spanMs = SPAN_DAYS * DAY_MS;
    const createdMs = Math.floor(plan.nowMs - spanMs + ((index + chance.next()) * spanMs) / plan.count);
    const { stage, enteredMs, updatedMs, changes } = this.course(createdMs);
    const dealType = chance.weigh(TYPES);
    const renewed = dealType === 'renewal' ? this.earlierWin(createdMs) : null;
    const company = renewed?.company ?? `${chance.pick(COMPANY_FIRST)} ${chance.pick(COMPANY_SECOND)}`;
    const isClosed = stage.category !== 'open';
    if (stage.category === 'won') this.remember({ id, company, closedMs: enteredMs });
    const currency = chance.happens(0.85) ? plan.currency : chance.pick(CURRENCIES)[0];
    const has = (field: RequirableField, share: number) =>
      chance.happens(share) || stage.requiredFields.includes(field);
    const valueMinor = has('value', isClosed ? 0.99 : 0.94) ? this.value(currency) : null;
    const expectedMs = isClosed
      ? enteredMs + chance.between(-20, 20) * DAY_MS
      : plan.nowMs + chance.between(-10, 120) * DAY_MS;
    return {
      tenantId: plan.tenantId,
      id,
      reference: plan.referenceOf(plan.firstNumber + index),
      name: `${company} ${chance.pick(SUBJECTS[dealType])}${dealType === 'renewal' ? ` ${yearOf(expectedMs)}` : ''}`,
      ...EMPTY_ENVELOPE,
      accountId: null,
      primaryContactId: null,
      handoffId: null,
      projectId: null,
      acceptedProposalIds: [],
      contactIds: [],
      lineItems: [],
      version: 1 + changes,
      createdAt: instantOf(createdMs),
      updatedAt: instantOf(updatedMs),
      createdBy: plan.actor,
      updatedBy: plan.actor,
      archivedAt: null,
      deletedAt: null,
      valueMinor,
      currency,
      pipelineId: plan.pipeline.id,
      stage: stage.key,
      status: stage.category,
      probability: stage.probability,
      forecastCategory: stage.forecastCategory,
      expectedCloseDate: has('expectedCloseDate', 0.88) ? dateOf(expectedMs) : null,
      dealType,
      source: chance.weigh(SOURCES),
      recurring: has('recurring', dealType === 'new_business' ? 0.3 : 0.7)
        ? this.recurring(valueMinor, expectedMs)
        : null,
      renewalOfDealId: renewed?.id ?? null,
      nextStep: has('nextStep', isClosed ? 0 : 0.65) ? chance.pick(NEXT_STEPS) : null,
      nextStepDate: has('nextStepDate', isClosed ? 0 : 0.45)
        ? dateOf(Math.max(updatedMs, plan.nowMs - 14 * DAY_MS) + chance.between(1, 30) * DAY_MS)
        : null,
      ...this.loss(stage),
      closedAt: isClosed ? instantOf(enteredMs) : null,
      stageEnteredAt: instantOf(enteredMs),
      staleAt: stage.rottenAfterDays === null ? null : instantOf(enteredMs + stage.rottenAfterDays * DAY_MS),
    };
  }

  /** Present progress of a deal. */
  private course(createdMs: number): Course {
    const { chance, open } = this;
    const ageMs = this.plan.nowMs - createdMs;
    const cycleMs = Math.min(chance.skewed(70, 0.6), 400) * DAY_MS;
    const lingers = chance.happens(LINGER_SHARE);
    if (ageMs > cycleMs && !lingers) {
      const enteredMs = Math.floor(createdMs + cycleMs);
      const isWon = chance.happens(WIN_SHARE);
      const stage = isWon ? this.won : chance.pick(this.lost);
      const changes = isWon ? open.length : 1 + chance.below(open.length);
      return { stage, enteredMs, updatedMs: enteredMs, changes };
    }
    const progress = lingers ? chance.next() : ageMs / cycleMs;
    const step = Math.min(Math.floor(progress * open.length), open.length - 1);
    const enteredMs = Math.floor(createdMs + (step === 0 ? 0 : ageMs * chance.between(0.3, 0.9)));
    const isEdited = chance.happens(0.4);
    const updatedMs = isEdited ? Math.floor(chance.between(enteredMs, this.plan.nowMs)) : enteredMs;
    return { stage: open[step]!, enteredMs, updatedMs, changes: step + (isEdited ? 1 : 0) };
  }

  /** Most amounts are round, as in real data. */
  private value(currency: string): number {
    const amount = Math.max(50, this.chance.skewed(12_000, 1.1)) * (RATES.get(currency) ?? 1);
    const unit = 10 ** Math.max(0, Math.floor(Math.log10(amount)) - 1);
    const major = this.chance.happens(0.8) ? Math.round(amount / unit) * unit : Math.round(amount);
    return Math.min(toMinor(major, currency) ?? 0, MAX_MINOR);
  }

  private recurring(valueMinor: number | null, closeMs: number): Deal['recurring'] {
    const intervalMonths = this.chance.weigh([[1, 5], [3, 2], [6, 1], [12, 6]]); // prettier-ignore
    const termMonths = this.chance.pick([12, 24, 36]);
    return {
      intervalMonths,
      amountMinor: Math.floor(((valueMinor ?? 0) * intervalMonths) / termMonths),
      termMonths,
      startDate: dateOf(closeMs + 15 * DAY_MS),
    };
  }

  private loss({ category }: PipelineStage): Pick<Deal, 'lostReason' | 'lostNotes' | 'competitor'> {
    if (category !== 'lost') return { lostReason: null, lostNotes: null, competitor: null };
    const lostReason = this.chance.pick(DEFAULT_SETTINGS.sales.lostReasons);
    return {
      lostReason,
      lostNotes: this.chance.happens(0.4) ? this.chance.pick(LOST_NOTES) : null,
      competitor: lostReason === 'competitor' ? this.chance.pick(COMPETITORS) : null,
    };
  }

  /** Keeps a random sample of won deals as candidates for renewal. */
  private remember(win: Win): void {
    this.seenWins++;
    if (this.wins.length < REMEMBERED_WINS) this.wins.push(win);
    else if (this.chance.happens(REMEMBERED_WINS / this.seenWins)) this.wins[this.chance.below(REMEMBERED_WINS)] = win;
  }

  /** Draws a won deal to renew, each at most once; null when it was won after the instant. */
  private earlierWin(beforeMs: number): Win | null {
    if (this.wins.length === 0) return null;
    const drawn = this.chance.below(this.wins.length);
    const win = this.wins[drawn]!;
    if (win.closedMs >= beforeMs) return null;
    this.wins[drawn] = this.wins.at(-1)!;
    this.wins.pop();
    return win;
  }
}

function instantOf(ms: number): string {
  return new Date(ms).toISOString();
}

function dateOf(ms: number): string {
  return instantOf(ms).slice(0, 10);
}

function yearOf(ms: number): string {
  return dateOf(ms).slice(0, 4);
}
