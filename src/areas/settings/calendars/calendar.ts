import { civilDate, Field, listOf, name, nested } from '#libs/http/field.js';
import { stateless } from '#libs/kernel/lifecycle.js';
import { Attribute } from '#libs/resource/types/attribute.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType } from '#libs/resource/types/record-type.js';
import { archiveActions } from '#libs/resource/types/standard-actions.js';
import { timeZone } from '#libs/settings/locale-fields.js';
import { MAX_SPANS, WorkingHours } from '#libs/settings/working-hours.js';

const MAX_HOLIDAYS = 1_000;

/** A non-working day. */
export class Holiday {
  @Field(civilDate(), { description: 'The day.', example: '2026-12-25' })
  date!: string;

  @Field(name(), { description: 'Name of the holiday.', example: 'Christmas Day' })
  name!: string;
}

/** Working hours and holidays. The settings, departments and employees select the calendars in use. */
export class Calendar extends RecordRow {
  @Attribute(timeZone(), 'Time zone of the working hours; defaults to the time zone of the settings.', {
    example: 'Europe/Berlin',
    optional: true,
  })
  timezone!: string;

  @Attribute(
    listOf(nested(WorkingHours), { max: MAX_SPANS }),
    'Weekly working hours as intervals that do not overlap; defaults to Monday to Friday, 09:00 to 17:00.',
    { example: [{ weekday: 1, from: '09:00', to: '17:00' }], optional: true },
  )
  workingHours!: WorkingHours[];

  @Attribute(listOf(nested(Holiday), { max: MAX_HOLIDAYS }), 'Non-working days, one entry per day.', {
    default: [],
    example: [{ date: '2026-12-25', name: 'Christmas Day' }],
  })
  holidays!: Holiday[];
}

/** Whether the settings, an employee or a department use a calendar. */
export const calendarInUse = (tenant: string, id: string): string => `(
  exists (select from data.tenant_settings s where s.tenant_id = ${tenant}
    and ${id}::text in (s.values #>> '{general,calendar}', s.values #>> '{people,holidayCalendar}'))
  or exists (select from data.people_employees e
    where e.tenant_id = ${tenant} and e.calendar_id = ${id}::uuid and e.status <> 'terminated' and e.deleted_at is null)
  or exists (select from data.people_departments d
    where d.tenant_id = ${tenant} and d.calendar_id = ${id}::uuid and d.archived_at is null and d.deleted_at is null))`;

/** A calendar in use cannot be archived. */
export const calendars = recordType(Calendar, {
  type: 'core.calendar',
  base: '/api',
  area: 'settings',
  collection: 'calendars',
  noun: 'calendar',
  prefix: 'CAL',
  permissions: { read: 'settings:read', write: 'settings:manage' },
  name: { example: 'Berlin office' },
  defaultSort: 'name',
  keptWhile: { archive: calendarInUse('t.tenant_id', 't.id') },
  problems: { archive: ['in_use'] },
  bodies: {
    create: { name: 'Berlin office', timezone: 'Europe/Berlin' },
    update: { holidays: [{ date: '2027-01-01', name: "New Year's Day" }] },
  },
  lifecycle: stateless(archiveActions('calendar', ['active'], 'settings:manage')),
});
