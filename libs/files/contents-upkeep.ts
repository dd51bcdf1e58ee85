import { Injectable, Logger } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Clock } from '#libs/kernel/clock.js';
import { MINUTE_MS } from '#libs/kernel/durations.js';
import type { Work } from '#libs/worker/loop.js';
import { Upkeep } from '#libs/worker/upkeep.js';
import { FileStorage } from './file-storage.js';

const EVERY_MS = MINUTE_MS;
const BATCH = 100;
/** Longer than a store may take to remove something: then another round tries again. */
const REMOVAL_MS = 5 * MINUTE_MS;

const EXPIRE = `delete from data.file_content_uses where expires_at <= $1`;
const FORGET = `delete from data.used_file_links where expires_at <= $1`;
// Bytes that were put a moment ago, before their content was noted as stored, are not removed: `kept_until` lies ahead.
const CLAIM = `
  update data.file_contents c set removing_until = $2
  from (
    select tenant_id, id from data.file_contents
    where is_unused and kept_until <= $1 and (removing_until is null or removing_until <= $1)
    order by kept_until limit ${BATCH} for update skip locked) due
  where c.tenant_id = due.tenant_id and c.id = due.id
  returning c.tenant_id as "tenantId", c.id, c.path`;
const REMOVE = `delete from data.file_contents
  where tenant_id = $1 and id = $2 and is_unused and removing_until = $3`;
const CLOSED = `delete from data.file_content_uses u using directory.tenants t
  where t.id = u.tenant_id and t.closed_at is not null`;
const CLOSED_SOON = `update data.file_contents c set kept_until = $1 from directory.tenants t
  where t.id = c.tenant_id and t.closed_at is not null and c.kept_until > $1`;

interface Due {
  tenantId: string;
  id: string;
  path: string;
}

/** Removes contents that nothing uses, and those of closed tenants, from database and store. Needs the `system` role. */
@Injectable()
export class ContentsUpkeep extends Upkeep {
  readonly onBehalf = { of: 'platform', because: 'upkeep' } as const;
  private readonly logger = new Logger('files');

  constructor(
    private readonly database: Database,
    private readonly storage: FileStorage,
    private readonly clock: Clock,
  ) {
    super('The removal of unused contents of files', EVERY_MS);
  }

  async sweep(): Promise<Work> {
    const at = this.clock.nowMs();
    const now = new Date(at).toISOString();
    const until = new Date(at + REMOVAL_MS).toISOString();
    const answers = await this.database.system([
      statement(EXPIRE, [now]),
      statement(FORGET, [now]),
      statement(CLOSED),
      statement(CLOSED_SOON, [now]),
      statement(CLAIM, [now, until]),
    ]);
    const due = answers.at(-1)!.rows as unknown as Due[]; // the columns are selected under the names of its members
    for (const content of due) {
      if (this.stopping) break;
      await this.remove(content, until);
    }
    return due.length === BATCH ? 'full' : 'none';
  }

  /** What cannot be removed now is tried again. */
  private async remove({ tenantId, id, path }: Due, until: string): Promise<void> {
    try {
      await this.storage.remove(path);
    } catch (error) {
      this.logger.warn(`The unused content ${path} cannot be removed now: ${String(error)}`);
      return;
    }
    await this.database.system([statement(REMOVE, [tenantId, id, until])]);
  }
}
