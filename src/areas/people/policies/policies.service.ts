import { Injectable } from '@nestjs/common';
import type { Decisions } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import type { Shown } from '#libs/resource/types/record-type.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { toDays, toHalfDays } from '../half-days.js';
import { timeOffPolicies, type TimeOffPolicy } from './time-off-policy.js';

@Injectable()
export class TimeOffPoliciesService implements Decisions<TimeOffPolicy, Shown<TimeOffPolicy>> {
  readonly records: Records<TimeOffPolicy, Shown<TimeOffPolicy>>;

  constructor(kit: ResourceKit) {
    this.records = Records.of(timeOffPolicies, kit, this);
  }

  derive(row: TimeOffPolicy): Partial<Shown<TimeOffPolicy>> {
    return {
      daysPerYear: toDays(row.halfDaysPerYear),
      carryOverDays: toDays(row.carryOverHalfDays),
      allowNegativeDays: toDays(row.negativeHalfDays),
    };
  }

  draft(input: Partial<TimeOffPolicy>): Draft<TimeOffPolicy> {
    const { name = input.type, ...rest } = columnsOf(input);
    return { carryOverHalfDays: 0, negativeHalfDays: 0, ...rest, name } as Draft<TimeOffPolicy>; // the rest are defaults
  }

  edit(_row: TimeOffPolicy, patch: Partial<TimeOffPolicy>): Partial<TimeOffPolicy> {
    return columnsOf(patch);
  }
}

function columnsOf(input: Partial<TimeOffPolicy>): Partial<TimeOffPolicy> {
  const { daysPerYear, carryOverDays, allowNegativeDays, ...columns } = input;
  return {
    ...columns,
    ...(daysPerYear === undefined ? {} : { halfDaysPerYear: toHalfDays(daysPerYear) }),
    ...(carryOverDays === undefined ? {} : { carryOverHalfDays: toHalfDays(carryOverDays) }),
    ...(allowNegativeDays === undefined ? {} : { negativeHalfDays: toHalfDays(allowNegativeDays) }),
  };
}
