import { Injectable, Logger } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { storableText } from '#libs/kernel/storable.js';
import { Metrics } from '#libs/metrics/metrics.js';
import { Sealer } from '#libs/sealing/sealer.js';
import { runAsSystem, type TenantFacts } from '#libs/tenancy/scope.js';
import { MAIL_CONTENT } from './mail-outbox.js';
import { type Mail, Mailer, type MailOutcome, MailRefused } from './mailer.js';

/** Mails that are sent at once. */
export const BATCH = 10;
/** After this time, others may send a mail whose worker has not reported a result. Longer than sending can take. */
const LEASE_SECONDS = 60;
/** Delays before the second and each further attempt. After the last attempt, a mail is abandoned. */
const PAUSES_SECONDS = [60, 300, 900, 3_600, 10_800, 21_600, 43_200, 86_400, 86_400];
const MAX_ERROR = 500;

const EXPIRE = `update data.mails set state = 'failed', content = null, error = coalesce(error, 'expired'), finished_at = $1
  where state = 'waiting' and due_at <= $1 and expires_at <= $1`;
const CLAIM = `
  with due as (
    select w.tenant_id, w.id from data.mails w join directory.tenants t on t.id = w.tenant_id and t.is_served
    where w.state = 'waiting' and w.due_at <= $1 order by w.due_at limit $2 for no key update of w skip locked)
  update data.mails m set attempts = m.attempts + 1, due_at = $1::timestamptz + $3 * interval '1 second'
  from due, directory.tenants t
  where m.tenant_id = due.tenant_id and m.id = due.id and t.id = m.tenant_id
  returning m.id, m.content, m.attempts, t.id as "tenantId", t.slug, t.plan, t.currency, t.epoch::text as epoch`;
const HANDED_OVER = `update data.mails set state = $4, content = null, error = null, finished_at = $3
  where tenant_id = $1 and id = $2 and state = 'waiting'`;
const RETRY = `update data.mails set due_at = $3, error = $4 where tenant_id = $1 and id = $2 and state = 'waiting'`;
const GIVE_UP = `update data.mails set state = 'failed', content = null, error = $4, finished_at = $3
  where tenant_id = $1 and id = $2 and state = 'waiting'`;

/** A claimed mail. Nobody else sends it until the lease expires. */
interface ClaimedMail extends Omit<TenantFacts, 'id'> {
  id: string;
  tenantId: string;
  /** Sealed. */
  content: string;
  /** Includes the current attempt. */
  attempts: number;
}

/**
 * Sends the mails in the outbox, in the worker. A mail is claimed, sent and then marked as sent (or logged). If a
 * worker dies in between, the mail is sent again when the lease expires, with the same Message-ID. No mail is lost.
 */
@Injectable()
export class MailDelivery {
  private readonly logger = new Logger('mail');
  private readonly outcomes: Counter;

  constructor(
    private readonly database: Database,
    private readonly mailer: Mailer,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.outcomes = metrics.counter('mails_total', 'Attempts to send mails.', ['outcome']);
  }

  /** Sends the next due mails; returns their number. Requires the `system` role. */
  async pass(): Promise<number> {
    const now = this.clock.now().toISOString();
    const [, claimed] = await this.database.system([
      statement(EXPIRE, [now]),
      statement(CLAIM, [now, BATCH, LEASE_SECONDS]),
    ]);
    const mails = claimed!.rows as unknown as ClaimedMail[]; // the columns are selected under the names of its members
    await Promise.all(mails.map((mail) => this.attempt(mail)));
    return mails.length;
  }

  private async attempt(claimed: ClaimedMail): Promise<void> {
    const { id, tenantId, content, attempts, ...facts } = claimed;
    await runAsSystem({ ...facts, id: tenantId }, 'mail', uuidv7(), async () => {
      let outcome: MailOutcome | Error;
      try {
        const mail = JSON.parse(await this.sealer.open(content, MAIL_CONTENT, id)) as Omit<Mail, 'id'>;
        outcome = await this.mailer.send({ id, ...mail });
      } catch (error) {
        outcome = error as Error;
      }
      await this.settle(claimed, outcome);
      this.outcomes.inc({ outcome: outcome instanceof Error ? 'failed' : outcome });
      if (outcome instanceof Error)
        this.logger.warn(`The mail ${id} could not be sent (attempt ${attempts}): ${outcome.message}`);
    });
  }

  private async settle({ tenantId, id, attempts }: ClaimedMail, outcome: MailOutcome | Error): Promise<void> {
    const now = this.clock.nowMs();
    const key = [tenantId, id];
    const at = (ms: number): string => new Date(ms).toISOString();
    if (!(outcome instanceof Error)) {
      await this.database.system([statement(HANDED_OVER, [...key, at(now), outcome])]);
      return;
    }
    const pauseSeconds = outcome instanceof MailRefused ? undefined : PAUSES_SECONDS[attempts - 1];
    const error = storableText(outcome.message, MAX_ERROR);
    if (pauseSeconds === undefined) await this.database.system([statement(GIVE_UP, [...key, at(now), error])]);
    else await this.database.system([statement(RETRY, [...key, at(now + pauseSeconds * 1_000), error])]);
  }
}
