import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Work } from '#libs/worker/loop.js';
import { WORKER_LOCK_CLASS } from '#libs/worker/worker-lock.js';
import { WorkerPresence } from '#libs/worker/worker-presence.js';
import { GIVEN_BACK } from './given-back.js';
import { isEntry, KEPT, OWNER } from './lease-owner.js';
import { BY_KEY, PLAN_EACH_TIME } from './planning.js';
import { ofDeadStatement } from './sending-statements.js';

/** Minimum time for a worker to reconnect. */
export const RETURN_MS = 300;

// The worker id of a lease is the lower half of that worker's lock. An entry that was created with a lease, and whose
// lease has expired although its worker lives, is moved to where claims find it.
const LOOK = `
  with kept as materialized (${KEPT}),
  run_out as (
    select q.place from kept cross join lateral (
      select q.ctid as place from data.webhook_queue q
      where ${isEntry('kept.tenant_id', 'kept.delivery_id')} and q.direct and q.leased_until <= now()
      offset 0 for no key update skip locked) q
    where kept.direct and kept.leased_until <= now()),
  exposed as (update data.webhook_queue q set direct = false from run_out where q.ctid = run_out.place)
  select worker from (select ${OWNER} as worker from kept q union select worker from data.webhook_sending) known
  where worker <> all (array(
    select objid::bigint from pg_locks where locktype = 'advisory' and classid = $1 and objsubid = 2
      and database = (select oid from pg_database where datname = current_database())))`;
const GIVE_BACK = `
  with lost as (
    select q.place from (select distinct tenant_id, delivery_id from (${KEPT}) leased) leased cross join lateral (
      select q.ctid as place from data.webhook_queue q
      where ${isEntry('leased.tenant_id', 'leased.delivery_id')} and q.lease_token is not null
        and ${OWNER} = any ($1::bigint[])
      offset 0 for no key update skip locked) q)
  update data.webhook_queue q set ${GIVEN_BACK} from lost where q.ctid = lost.place`;

/**
 * Releases the leases of workers that were missing in two consecutive checks; a worker that only lost its connection
 * has reconnected by then. If a machine vanishes without closing its connections, its leases expire.
 */
@Injectable()
export class LostLeases {
  private readonly logger = new Logger('webhooks');
  private missing = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly presence: WorkerPresence,
  ) {}

  /**
   * Ensures that this worker holds its lock, and releases the leases of dead workers and expired direct leases. Returns
   * `some` if the next check should come soon because a worker is missing.
   */
  async look(): Promise<Work> {
    await this.presence.beKnown();
    const [, , answer] = await this.database.system([PLAN_EACH_TIME, BY_KEY, statement(LOOK, [WORKER_LOCK_CLASS])]);
    const missing = answer!.rows.map((row) => String(row['worker']));
    const dead = missing.filter((worker) => this.missing.has(worker));
    this.missing = new Set(missing);
    if (dead.length === 0) return missing.length > 0 ? 'some' : 'none';
    const statements = [ofDeadStatement(dead), PLAN_EACH_TIME, BY_KEY, statement(GIVE_BACK, [dead])];
    const [made, , , given] = await this.database.system(statements);
    this.logger.warn(`${made!.count + given!.count} deliveries of workers that are gone were given back`);
    return 'some';
  }

  /**
   * Two consecutive checks, for a process that starts: the leases of its predecessor then no longer count towards caps
   * and can be claimed.
   */
  async takeOver(): Promise<void> {
    if ((await this.look()) === 'none') return;
    await pause(RETURN_MS);
    await this.look();
  }
}
