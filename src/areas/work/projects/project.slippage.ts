import type { BusinessDays } from '#libs/kernel/business-days.js';
import { addDays } from '#libs/kernel/civil-time.js';
import { DAY_SECONDS, daysBetween, dayOf } from '../days.js';
import type { Project } from './project.js';

/** How far a project is past its target date. */
export interface Slippage {
  /** Calendar days; negative before the target date. */
  days: number;
  /** Business days of a calendar; 0 before the target date. */
  businessDays(calendar: BusinessDays): number;
}

/**
 * The only formula of slippage: from the target date to an instant, or to the time at which the project was closed or put
 * on hold, without the days that it was on hold before. Null without a target date.
 */
export function slippageOf(row: Project, now: string): Slippage | null {
  const { targetDate, heldSeconds, completedAt, cancelledAt, heldAt } = row;
  if (targetDate === null) return null;
  const end = addDays(dayOf(completedAt ?? cancelledAt ?? heldAt ?? now), -Math.floor(heldSeconds / DAY_SECONDS));
  return {
    days: daysBetween(targetDate, end),
    businessDays: (calendar) => (end > targetDate ? calendar.between(targetDate, end) : 0),
  };
}
