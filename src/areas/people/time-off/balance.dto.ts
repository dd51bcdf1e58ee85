import { Field, id, integer, listOf, nested, number, oneOf } from '#libs/http/field.js';
import { ONE_PAGE, PageInfo } from '#libs/resource/types/record.dto.js';
import { TIME_OFF_TYPES, type TimeOffType } from '../half-days.js';

const year = integer({ min: 2000, max: 2100 });
const balance = number({ min: -100_000, max: 100_000 });

export class TimeOffBalanceQuery {
  @Field(id(), {
    description: 'Employee whose balances to read; by default the one that the calling member is.',
    optional: true,
  })
  employeeId?: string;

  @Field(year, { description: 'Calendar year; the current one by default.', optional: true })
  year?: number;
}

/** Balance of one type of time off in a year, in days. */
export class TimeOffBalanceView {
  @Field(id(), { description: 'Employee whose balance it is.' })
  employeeId!: string;

  @Field(oneOf(TIME_OFF_TYPES), { description: 'Type of time off.', example: 'vacation' })
  type!: TimeOffType;

  @Field(year, { description: 'Calendar year.', example: 2026 })
  year!: number;

  @Field(balance, { description: 'Days carried over from the year before; negative if overdrawn.', example: 2 })
  carriedOver!: number;

  @Field(balance, { description: 'Days granted so far in the year.', example: 28 })
  accrued!: number;

  @Field(balance, { description: 'Days taken.', example: 10 })
  used!: number;

  @Field(balance, { description: 'Days approved and not taken yet.', example: 5 })
  planned!: number;

  @Field(balance, {
    description: 'Days left: carriedOver + accrued − used − planned; null where no policy limits the type.',
    example: 15,
    nullable: true,
  })
  available!: number | null;
}

export class TimeOffBalances {
  @Field(listOf(nested(TimeOffBalanceView), { max: TIME_OFF_TYPES.length }), {
    description:
      'One balance for each type with a policy, or with time off in the year. Empty for an unknown employee.',
  })
  data!: TimeOffBalanceView[];

  @Field(nested(PageInfo), ONE_PAGE)
  page!: PageInfo;
}
