import { DAY_MS, HOUR_MS, MINUTE_MS } from '#libs/kernel/durations.js';

/** Lengths of the windows whose burn rate is shown, in minutes. */
export const BURN_WINDOWS = {
  '5m': 5,
  '30m': 30,
  '1h': 60,
  '2h': 120,
  '6h': 360,
  '1d': 1_440,
  '3d': 4_320,
  '4d': 5_760,
} as const;
export type BurnWindow = keyof typeof BURN_WINDOWS;

/** Windows up to this length are counted by the minute, longer ones by the hour. */
export const MINUTES_COUNTED = BURN_WINDOWS['6h'];

interface BurnPair {
  speed: 'fast' | 'slow';
  /** Ten times the burn rate that both windows must reach, for an objective over 30 days. */
  tenfoldRate: number;
  long: BurnWindow;
  short: BurnWindow;
}

/** `Source:` Google, "The Site Reliability Workbook", chapter 5, multiwindow, multi-burn-rate alerts. */
const BURN_PAIRS: readonly BurnPair[] = [
  { speed: 'fast', tenfoldRate: 144, long: '1h', short: '5m' },
  { speed: 'fast', tenfoldRate: 60, long: '6h', short: '30m' },
  { speed: 'slow', tenfoldRate: 10, long: '3d', short: '6h' },
];
const PAIR_DAYS = 30;
/**
 * Objectives have three decimals at most. Counted in such parts, figures are quotients of whole numbers, so that a budget
 * that is spent to the last event is not missed by rounding.
 */
const PARTS = 100_000;
/** Fewer events in the short window mean nothing. */
const MIN_BAD = 10;
const MIN_VALID = 100;
/** The window whose pace is projected into the future. */
const PACE: BurnWindow = '6h';

export interface Counts {
  good: number;
  bad: number;
}

/** Counts of a minute, or of an hour before the last six. */
export interface Bucket extends Counts {
  /** Its start. */
  atMs: number;
}

export interface Objective {
  objectivePercent: number;
  windowDays: number;
}

export type SloStatus = 'healthy' | 'burning_slow' | 'burning_fast' | 'exhausted' | 'no_data';

export interface Evaluation extends Counts {
  total: number;
  /** Share of good events in percent; null without events. */
  sliPercent: number | null;
  /** Bad events that the objective allows for this many events. */
  budgetTotal: number;
  budgetUsedPercent: number | null;
  budgetRemainingPercent: number | null;
  /** Multiple of the pace that would use up the budget exactly; null without events. */
  burnRates: Record<BurnWindow, number | null>;
  /** When the budget is spent at the pace of the last six hours; null if it is spent, or not before the window ends. */
  projectedExhaustionMs: number | null;
  status: SloStatus;
  /** Whether the alert is on, whatever the status. */
  burnsFast: boolean;
}

/**
 * Start of a window that ends now: the running minute counts as a whole one. Windows of more than six hours start at a
 * full hour.
 */
export function windowStart(minutes: number, nowMs: number): number {
  const startMs = (Math.floor(nowMs / MINUTE_MS) - minutes + 1) * MINUTE_MS;
  return minutes > MINUTES_COUNTED ? Math.floor(startMs / HOUR_MS) * HOUR_MS : startMs;
}

/** Evaluates an objective from its counts. Buckets that start before a window are not part of it. */
export function evaluate(objective: Objective, buckets: readonly Bucket[], nowMs: number): Evaluation {
  const parts = budgetParts(objective);
  const within = (minutes: number) => sumSince(buckets, windowStart(minutes, nowMs));
  const { good, bad } = within((objective.windowDays * DAY_MS) / MINUTE_MS);
  const total = good + bad;
  const windows = mapWindows((window) => within(BURN_WINDOWS[window]));
  const burnRates = mapWindows((window) => burnRate(windows[window], parts));
  const burns = (speed: BurnPair['speed']) =>
    BURN_PAIRS.some((pair) => {
      if (pair.speed !== speed) return false;
      const threshold = (pair.tenfoldRate * objective.windowDays) / (10 * PAIR_DAYS);
      const short = windows[pair.short];
      const isMuch = short.bad >= MIN_BAD && short.good + short.bad >= MIN_VALID;
      return isMuch && burnRates[pair.long]! >= threshold && burnRates[pair.short]! >= threshold;
    });
  const budgetTotal = (total * parts) / PARTS;
  const isSpent = bad > 0 && bad >= budgetTotal;
  const burnsFast = burns('fast');
  const used = total === 0 ? null : (bad / budgetTotal) * 100;
  return {
    good,
    bad,
    total,
    sliPercent: total === 0 ? null : (good / total) * 100,
    budgetTotal,
    budgetUsedPercent: used,
    budgetRemainingPercent: used === null ? null : Math.max(0, 100 - used),
    burnRates,
    projectedExhaustionMs: isSpent ? null : exhaustionMs(budgetTotal - bad, windows[PACE].bad, objective, nowMs),
    status:
      total === 0
        ? 'no_data'
        : isSpent
          ? 'exhausted'
          : burnsFast
            ? 'burning_fast'
            : burns('slow')
              ? 'burning_slow'
              : 'healthy',
    burnsFast,
  };
}

function mapWindows<T>(make: (window: BurnWindow) => T): Record<BurnWindow, T> {
  const windows = Object.keys(BURN_WINDOWS) as BurnWindow[];
  return Object.fromEntries(windows.map((window) => [window, make(window)])) as Record<BurnWindow, T>;
}

function sumSince(buckets: readonly Bucket[], startMs: number): Counts {
  const sum = { good: 0, bad: 0 };
  for (const { atMs, good, bad } of buckets) {
    if (atMs < startMs) continue;
    sum.good += good;
    sum.bad += bad;
  }
  return sum;
}

/** The events of {@link PARTS} that may be bad. */
function budgetParts({ objectivePercent }: Objective): number {
  return Math.round((100 - objectivePercent) * (PARTS / 100));
}

function burnRate({ good, bad }: Counts, parts: number): number | null {
  return good + bad === 0 ? null : (bad * PARTS) / ((good + bad) * parts);
}

function exhaustionMs(left: number, badOfPace: number, { windowDays }: Objective, nowMs: number): number | null {
  if (badOfPace === 0) return null;
  const inMs = (left / badOfPace) * BURN_WINDOWS[PACE] * MINUTE_MS;
  return inMs > windowDays * DAY_MS ? null : nowMs + inMs;
}
