import { Injectable } from '@nestjs/common';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { BusinessDays } from '#libs/kernel/business-days.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import type { Decisions } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { mustBeVisible } from '#libs/resource/access/references.js';
import type { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { hourViolations, inOrder, type WorkingHours } from '#libs/settings/working-hours.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { type Calendar, calendarInUse, calendars, type Holiday } from './calendar.js';

const LIVE = { table: 'data.settings_calendars', where: 'archived_at is null and deleted_at is null' };
const LOCK = `select id from data.settings_calendars where tenant_id = $1 and id = any($2::uuid[]) order by id for share`;
const IS_USED = `select ${calendarInUse('$1', '$2')} as yes`;

const USUAL_HOURS: WorkingHours[] = [1, 2, 3, 4, 5].map((weekday) => ({ weekday, from: '09:00', to: '17:00' }));

/** Calendars of the tenant: working hours and holidays. */
@Injectable()
export class CalendarsService implements Decisions<Calendar> {
  readonly records: Records<Calendar>;
  private readonly rows: ResourceRepository<Calendar>;

  constructor(
    private readonly kit: ResourceKit,
    private readonly settings: TenantSettings,
  ) {
    this.rows = kit.rows(calendars.entity);
    this.records = Records.of(calendars, kit, this, this.rows);
  }

  async draft(input: Partial<Calendar>): Promise<Draft<Calendar>> {
    const { timezone = (await this.settings.get()).general.timezone, workingHours = USUAL_HOURS } = input;
    return sorted({ ...input, timezone, workingHours }) as Draft<Calendar>;
  }

  edit(_row: Calendar, patch: Partial<Calendar>): Partial<Calendar> {
    return sorted(patch);
  }

  /** A change of the settings locks the calendars that it selects, so the result stays valid in the transaction. */
  async prepare(transaction: Transaction, row: Calendar, action: string): Promise<Calendar> {
    if (action !== 'archive') return row;
    const [used] = await transaction.query<{ yes: boolean }>(statement(IS_USED, [currentTenant().id, row.id]));
    if (used!.yes)
      throw new Problem('in_use', 'The settings, an employee or a department use the calendar; set another one first.');
    return row;
  }

  /**
   * Fails the transaction unless the calendars, given by the pointers that refer to them, are visible to the caller and
   * not archived. Locks them until the transaction ends.
   */
  async requireLive(transaction: Transaction, named: readonly (readonly [pointer: string, id: string])[]) {
    await transaction.query(statement(LOCK, [currentTenant().id, named.map(([, id]) => id)]));
    for (const [pointer, id] of named) transaction.write(mustBeVisible(this.kit.registry, LIVE, pointer, [id]));
  }

  /** Business days of the tenant's general calendar; Monday to Friday without holidays if it has none. */
  async businessDays(): Promise<BusinessDays> {
    const id = (await this.settings.get()).general.calendar;
    if (id === null) return new BusinessDays();
    const { workingHours, holidays } = await this.records.readPlainly(id);
    return new BusinessDays(
      workingHours.map(({ weekday }) => weekday),
      holidays.map(({ date }) => date),
    );
  }

  /** The calendar for working days: the given one or that of the settings; null if there is none. */
  async ofPeople(calendarId: string | null): Promise<Calendar | null> {
    const { people, general } = await this.settings.get();
    const id = calendarId ?? people.holidayCalendar ?? general.calendar;
    return id === null ? null : this.rows.find(id);
  }
}

/** Sorts hours and holidays by time. @throws Problem 400 for overlapping hours and duplicate days. */
function sorted({ workingHours, holidays, ...others }: Partial<Calendar>): Partial<Calendar> {
  const violations = [...hourViolations(workingHours ?? []), ...holidayViolations(holidays ?? [])];
  if (violations.length > 0) throw Problem.validation(violations);
  return {
    ...others,
    ...(workingHours && { workingHours: inOrder(workingHours) }),
    ...(holidays && { holidays: holidays.toSorted((a, b) => (a.date < b.date ? -1 : 1)) }),
  };
}

function holidayViolations(holidays: readonly Holiday[]): Violation[] {
  const seen = new Set<string>();
  return holidays.flatMap(({ date }, index) => {
    if (!seen.has(date)) return (seen.add(date), []);
    return [violation(`/holidays/${index}/date`, 'not_unique', 'Each day may have only one entry.')];
  });
}

function violation(pointer: string, code: string, detail: string): Violation {
  return { pointer, code, detail };
}
