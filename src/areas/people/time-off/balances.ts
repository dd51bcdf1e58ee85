import { Injectable } from '@nestjs/common';
import { limitsOf } from '#libs/access/limits.js';
import { callerOrNull } from '#libs/auth/current-principal.js';
import { Database } from '#libs/database/database.js';
import { Problem } from '#libs/kernel/problem.js';
import { onePage } from '#libs/resource/lists/page-of-all.js';
import { employees } from '../employees/employee.js';
import { EmployeesRepository } from '../employees/employees.repository.js';
import { TIME_OFF_TYPES, toDays, type TimeOffType } from '../half-days.js';
import { PeopleTime } from '../people-time.js';
import { allTerms, type Terms } from '../policies/time-off-policy.queries.js';
import { type Balance, balanceOf, type Booked } from './balance.js';
import type { TimeOffBalanceQuery, TimeOffBalances } from './balance.dto.js';
import { TimeOffLedgerRepository, type LedgerSum } from './time-off-ledger.repository.js';
import { TimeOffRepository, type Person } from './time-off.repository.js';

/** Balances of time off: policy grants minus ledger entries. */
@Injectable()
export class Balances {
  constructor(
    private readonly employees: EmployeesRepository,
    private readonly people: TimeOffRepository,
    private readonly database: Database,
    private readonly ledger: TimeOffLedgerRepository,
    private readonly time: PeopleTime,
  ) {}

  /** The balances of an employee in a year, as of today; none if the caller may not see the employee's time off. */
  async read({ employeeId: wantedId, year }: TimeOffBalanceQuery): Promise<TimeOffBalances> {
    const employeeId = wantedId ?? (await this.ownId());
    if (employeeId === null) return onePage([]);
    const today = await this.time.today();
    const wanted = year ?? Number(today.slice(0, 4));
    const visible = limitsOf(employees, 'time-off:read');
    const person = (await this.employees.find(employeeId, visible)) && (await this.people.person(employeeId));
    if (!person) return onePage([]);
    const terms = await this.terms();
    const sums = await this.ledger.sums(employeeId);
    const shown = TIME_OFF_TYPES.filter(
      (type) =>
        terms.some((each) => each.type === type) || sums.some((sum) => sum.type === type && sum.year === wanted),
    );
    const data = shown.map((type) => {
      const policy = terms.find((each) => each.type === type) ?? null;
      const balance = balanceOf(policy, person.startDate, yearsOf(sums, type), wanted, today);
      return { employeeId, type, year: wanted, ...inDays(balance) };
    });
    return onePage(data);
  }

  private terms(): Promise<Terms[]> {
    return this.database.read<Terms>(allTerms());
  }

  private async ownId(): Promise<string | null> {
    const membershipId = callerOrNull()?.membershipId ?? null;
    return membershipId && (await this.employees.ofMember(membershipId));
  }

  /**
   * Checks that the balance covers an absence. Later years count too, because their carry-over is reduced.
   * @param until last day of the absence; accruals until then count.
   * @throws Problem 409 `balance_exceeded`.
   */
  async require(
    person: Person,
    employeeId: string,
    type: TimeOffType,
    halfDays: ReadonlyMap<number, number>,
    until: string,
  ): Promise<void> {
    const terms = (await this.terms()).find((each) => each.type === type);
    if (!terms) return;
    const before = yearsOf(await this.ledger.sums(employeeId), type);
    const after = new Map(before);
    for (const [year, count] of halfDays) {
      const booked = before.get(year) ?? { booked: 0, released: 0, used: 0 };
      after.set(year, { ...booked, booked: booked.booked + count });
    }
    const first = Math.min(...halfDays.keys());
    const today = await this.time.today();
    for (const year of [...after.keys()].filter((each) => each >= first)) {
      const on = halfDays.has(year) && until.startsWith(String(year)) && until > today ? until : `${year}-12-31`;
      const left = balanceOf(terms, person.startDate, after, year, on).available!;
      const was = balanceOf(terms, person.startDate, before, year, on).available!;
      if (left < -terms.negativeHalfDays && left < was)
        throw new Problem('balance_exceeded', `The balance of ${year} would be ${toDays(left)} days.`);
    }
  }
}

function yearsOf(sums: readonly LedgerSum[], type: TimeOffType): Map<number, Booked> {
  const years = new Map<number, Booked>();
  for (const { type: of, year, kind, halfDays } of sums) {
    if (of !== type) continue;
    const known = years.get(year) ?? { booked: 0, released: 0, used: 0 };
    years.set(year, { ...known, [kind]: halfDays });
  }
  return years;
}

function inDays({ carriedOver, accrued, used, planned, available }: Balance) {
  return {
    carriedOver: toDays(carriedOver),
    accrued: toDays(accrued),
    used: toDays(used),
    planned: toDays(planned),
    available: available === null ? null : toDays(available),
  };
}
