import { OperatorError } from '#libs/config/operator-error.js';
import type { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';

/** Maintenance that the operator has announced for all tenants. */
export interface PlatformWindow {
  id: string;
  title: string;
  startsAt: string;
  endsAt: string;
  cancelledAt: string | null;
}

const COLUMNS = `id, title, starts_at as "startsAt", ends_at as "endsAt", cancelled_at as "cancelledAt"`;
const ADD = `insert into directory.maintenance_windows (id, title, starts_at, ends_at, announced_at)
  values ($1, $2, $3, $4, $5) returning ${COLUMNS}`;
const LIST = `select ${COLUMNS} from directory.maintenance_windows order by starts_at desc, id desc limit 1000`;
const CANCEL = `update directory.maintenance_windows set cancelled_at = $2
  where id = $1 and cancelled_at is null and starts_at > $2 returning ${COLUMNS}`;

/** The operator's view of maintenance. Requires the `system` role. */
export class MaintenanceRegister {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async announce({ title, startsAt, endsAt }: Pick<PlatformWindow, 'title' | 'startsAt' | 'endsAt'>) {
    const [row] = await this.rows(ADD, [uuidv7(), title, startsAt, endsAt, this.clock.now().toISOString()]);
    return row!;
  }

  /** The newest first. */
  list(): Promise<PlatformWindow[]> {
    return this.rows(LIST, []);
  }

  /** @throws OperatorError if there is no such window, or it has begun or is cancelled. */
  async cancel(id: string): Promise<PlatformWindow> {
    const [row] = await this.rows(CANCEL, [id, this.clock.now().toISOString()]);
    if (!row) throw new OperatorError(`There is no maintenance ${id} that could be cancelled`);
    return row;
  }

  private async rows(text: string, values: unknown[]): Promise<PlatformWindow[]> {
    return this.database.systemRead<PlatformWindow>(statement(text, values));
  }
}
