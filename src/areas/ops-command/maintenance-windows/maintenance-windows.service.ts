import { Injectable } from '@nestjs/common';
import { DAY_MS, HOUR_MS } from '#libs/kernel/durations.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { Problem } from '#libs/kernel/problem.js';
import { pageOfAll } from '#libs/resource/lists/page-of-all.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import type { AnnouncedWindow } from '#libs/maintenance/announced-window.js';
import { MaintenanceCalendar } from '#libs/maintenance/maintenance-calendar.js';
import { type MaintenanceQuery, type MaintenanceWindow, maintenanceWindows } from './maintenance-window.js';

const LEAD_MS = HOUR_MS;
const LONGEST_MS = 7 * DAY_MS;
const NEVER = '9000-01-01T00:00:00Z';

type NewWindow = Pick<MaintenanceWindow, 'title' | 'startsAt' | 'endsAt'>;

/** Maintenance that a tenant announces for itself. */
@Injectable()
export class MaintenanceWindowsService {
  private readonly objects: GovernedObjects<MaintenanceWindow>;

  constructor(
    kit: ResourceKit,
    private readonly calendar: MaintenanceCalendar,
    private readonly cursors: Cursors,
  ) {
    this.objects = new GovernedObjects(maintenanceWindows, kit);
  }

  /** The windows of the tenant and those that the operator announced, so that they come from the calendar. */
  async list(query: MaintenanceQuery): Promise<Page<AnnouncedWindow>> {
    const windows = await this.calendar.ofTenant(query.from ?? this.objects.now(), query.to ?? NEVER);
    return pageOfAll(windows, query, this.cursors, [maintenanceWindows.type]);
  }

  /** @throws Problem 400 for a window that starts too soon, is too long or ends before it starts. */
  announce({ title, startsAt, endsAt }: NewWindow): Promise<ShownObject<MaintenanceWindow>> {
    const [startMs, endMs] = [Date.parse(startsAt), Date.parse(endsAt)];
    if (startMs < Date.parse(this.objects.now()) + LEAD_MS)
      throw fault('/startsAt', 'too_soon', 'Announce maintenance at least an hour ahead.');
    if (endMs <= startMs) throw fault('/endsAt', 'out_of_range', 'The end must be after the start.');
    if (endMs - startMs > LONGEST_MS) throw fault('/endsAt', 'too_long', 'A window may have at most 7 days.');
    const own = { title, startsAt: new Date(startMs).toISOString(), endsAt: new Date(endMs).toISOString() };
    return this.objects.create(() => own, { event: 'announced' });
  }
}

function fault(pointer: string, code: string, detail: string): Problem {
  return Problem.validation([{ pointer, code, detail }]);
}
