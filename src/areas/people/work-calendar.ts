import { Injectable } from '@nestjs/common';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { CalendarsService } from '#src/areas/settings/calendars/calendars.service.js';
import { fromMonday } from './calendar.js';
import { USUAL_SCHEDULE, type WorkSchedule } from './employees/employee.parts.js';

const MINUTES_A_DAY = 480;

/** Working days, by the calendar of a place or else by the settings of the tenant. */
@Injectable()
export class WorkCalendar {
  constructor(
    private readonly settings: TenantSettings,
    private readonly calendars: CalendarsService,
  ) {}

  /** Holiday dates. @param calendarId calendar of the place, if it has one */
  async holidays(calendarId: string | null): Promise<ReadonlySet<string>> {
    const calendar = await this.calendars.ofPeople(calendarId);
    return new Set(calendar?.holidays.map(({ date }) => date));
  }

  /** Default work schedule. @param calendarId as for {@link holidays} */
  async usualSchedule(calendarId: string | null): Promise<WorkSchedule> {
    const { workWeek } = (await this.settings.get()).people;
    if (workWeek && calendarId === null) return { weeklyMinutes: workWeek.length * MINUTES_A_DAY, days: workWeek };
    const hours = (await this.calendars.ofPeople(calendarId))?.workingHours ?? [];
    if (hours.length === 0) return USUAL_SCHEDULE;
    const minutes = hours.map(({ from, to }) => minutesOf(to) - minutesOf(from));
    return {
      weeklyMinutes: minutes.reduce((sum, each) => sum + each, 0),
      days: [...new Set(hours.map(({ weekday }) => fromMonday(weekday)))],
    };
  }
}

function minutesOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return hours! * 60 + minutes!;
}
