import { LATENCY_BOUNDS_MS } from '#libs/request-counts/request-counts.js';
import type { Violation } from '#libs/kernel/problem.js';
import type { SloChange, SloIndicator } from './slo.dto.js';
import { DELIVERY_MS, type Indicator, WINDOW_DAYS } from './slo.js';

const DECIMALS = 1_000;

/** Faults that depend on several fields. @param at pointer of the objective in the body */
export function faultsOf({ indicator, objectivePercent, windowDays }: SloChange, at: string): Violation[] {
  const faults: Violation[] = [];
  const add = (field: string, code: string, detail: string) => faults.push({ pointer: `${at}/${field}`, code, detail });
  if (windowDays !== undefined && !(WINDOW_DAYS as readonly number[]).includes(windowDays))
    add('windowDays', 'invalid_value', `The value must be one of ${WINDOW_DAYS.join(', ')}.`);
  if (objectivePercent !== undefined && !Number.isInteger(round(objectivePercent * DECIMALS)))
    add('objectivePercent', 'too_precise', 'The value may have at most three decimals.');
  if (indicator) indicatorFaults(indicator, (field, code, detail) => add(`indicator/${field}`, code, detail));
  return faults;
}

function indicatorFaults(
  { kind, routePattern = null, thresholdMs = null }: SloIndicator,
  add: (field: string, code: string, detail: string) => void,
): void {
  if (routePattern !== null && kind !== 'availability' && kind !== 'latency')
    add('routePattern', 'not_applicable', `An indicator of the kind ${kind} has no routes.`);
  if (kind === 'latency') {
    if (thresholdMs === null) add('thresholdMs', 'required', 'A latency needs a threshold.');
    else if (!(LATENCY_BOUNDS_MS as readonly number[]).includes(thresholdMs))
      add(
        'thresholdMs',
        'not_a_histogram_bound',
        `Latency is measured in steps: use one of ${LATENCY_BOUNDS_MS.join(', ')}.`,
      );
  }
  if (thresholdMs !== null && (kind === 'availability' || kind === 'ai_success'))
    add('thresholdMs', 'not_applicable', `An indicator of the kind ${kind} has no threshold.`);
}

/** The indicator with all members. */
export function indicatorOf({ kind, routePattern = null, thresholdMs = null }: SloIndicator): Indicator {
  return { kind, routePattern, thresholdMs: thresholdMs ?? (kind === 'webhook_delivery' ? DELIVERY_MS : null) };
}

/** Without the error of binary fractions. */
function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
