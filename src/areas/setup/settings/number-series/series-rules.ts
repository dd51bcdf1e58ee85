import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { civilDateAt } from '#libs/kernel/civil-time.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { canRepeat, faultOf } from '#libs/kernel/number-pattern.js';
import { Problem } from '#libs/kernel/problem.js';
import { GaplessSeries, numberingsOneByOne } from '#libs/resource/records/gapless-series.js';
import { DOCUMENT_SERIES } from '#libs/settings/number-series.model.js';
import type { EffectiveSettings } from '#libs/settings/tenant-settings.js';

/** Name of a series in the settings. */
export type SeriesName = keyof typeof DOCUMENT_SERIES;
export const SERIES_NAMES = Object.keys(DOCUMENT_SERIES) as SeriesName[];

/** The key of a series, e.g. `finance.invoice.number`. */
export function keyOf(name: SeriesName): string {
  return `${DOCUMENT_SERIES[name]}.number`;
}

/** Ensures that a change of the settings cannot assign a document number twice. */
@Injectable()
export class SeriesRules {
  constructor(
    private readonly series: GaplessSeries,
    private readonly clock: Clock,
  ) {}

  /** @throws Problem 400 for an invalid pattern, 409 `number_used`, `in_use`. */
  async check(transaction: Transaction, before: EffectiveSettings, after: EffectiveSettings): Promise<void> {
    const changed = SERIES_NAMES.filter(
      (name) => !isDeepStrictEqual(before.finance.series[name], after.finance.series[name]),
    );
    const violations = changed.flatMap((name) => {
      const detail = faultOf(after.finance.series[name]);
      return detail === null ? [] : [{ pointer: `/finance/series/${name}/pattern`, code: 'invalid_pattern', detail }];
    });
    if (violations.length > 0) throw Problem.validation(violations);
    if (changed.length > 0) await transaction.query(numberingsOneByOne());
    for (const name of changed) {
      await this.refuseShared(after, name);
      const { isUsed } = await this.next(after, name);
      if (isUsed && before.finance.series[name].startAt !== after.finance.series[name].startAt)
        throw new Problem('in_use', 'The series has already numbered a document: its start cannot be changed.');
    }
  }

  /** @throws Problem 409 `number_used` if another series has, or had, numbers like those of a series. */
  private async refuseShared({ finance: { series } }: EffectiveSettings, name: SeriesName): Promise<void> {
    for (const other of SERIES_NAMES.filter((each) => each !== name)) {
      const used = [series[other], ...(await this.series.used(DOCUMENT_SERIES[other]))];
      const same = used.find((each) => canRepeat(each, series[name]));
      if (same)
        throw new Problem(
          'number_used',
          `The pattern ${series[name].pattern} could repeat numbers of the series ${keyOf(other)}, with the pattern ${same.pattern}. Change its text.`,
        );
    }
  }

  /** The counter for a document dated today, and whether the series has numbered any document. */
  next(settings: EffectiveSettings, name: SeriesName) {
    const kind = { series: DOCUMENT_SERIES[name], ...settings.finance.series[name] };
    return this.series.next(kind, this.today(settings));
  }

  today({ general }: EffectiveSettings): string {
    return civilDateAt(this.clock.nowMs(), general.timezone);
  }
}
