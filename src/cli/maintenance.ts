import type { Settings } from '#libs/config/settings.js';
import { MaintenanceRegister } from '#libs/maintenance/maintenance-register.js';
import { type CommandRun, UsageError } from './command.js';
import { withDirectory } from './directory-access.js';
import { tableOf } from './table-text.js';
import { futureInstantOf, idOf, nameOf, required } from './values.js';

const LEAD_MS = 3_600_000;
const LONGEST_MS = 7 * 86_400_000;

const withRegister = <T>(settings: Settings, work: (windows: MaintenanceRegister, nowMs: number) => Promise<T>) =>
  withDirectory(settings, ({ database, clock }) => work(new MaintenanceRegister(database, clock), clock.nowMs()));

/** `maintenance announce` */
export const announceMaintenance: CommandRun = async (given, { settings }) => {
  const title = nameOf(given, 'title');
  const window = await withRegister(settings(), (windows, nowMs) => {
    required(given, 'from');
    required(given, 'to');
    const startsAt = futureInstantOf(given, 'from', nowMs)!;
    const endsAt = futureInstantOf(given, 'to', nowMs)!;
    const lengthMs = Date.parse(endsAt) - Date.parse(startsAt);
    if (Date.parse(startsAt) < nowMs + LEAD_MS) throw new UsageError('--from must be at least an hour ahead');
    if (lengthMs <= 0) throw new UsageError('--to must be after --from');
    if (lengthMs > LONGEST_MS) throw new UsageError('A maintenance window may have at most 7 days');
    return windows.announce({ title, startsAt, endsAt });
  });
  return {
    json: window,
    text: `Announced maintenance ${window.id} from ${window.startsAt} to ${window.endsAt}: ${title}.`,
  };
};

/** `maintenance list` */
export const listMaintenance: CommandRun = async (_given, { settings }) => {
  const all = await withRegister(settings(), (windows) => windows.list());
  return {
    json: { data: all },
    text: tableOf(
      ['ID', 'FROM', 'TO', 'CANCELLED', 'TITLE'],
      all.map(({ id, startsAt, endsAt, cancelledAt, title }) => [id, startsAt, endsAt, cancelledAt ?? 'no', title]),
    ),
  };
};

/** `maintenance cancel` */
export const cancelMaintenance: CommandRun = async (given, { settings }) => {
  const id = idOf(given, 'id');
  const window = await withRegister(settings(), (windows) => windows.cancel(id));
  return { json: window, text: `Cancelled the maintenance ${id}.` };
};
