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
import { MailComposition } from './mail-composition.js';
import { MAIL_CONTENT, type MailContent } from './mail-outbox.js';
import type { MailState } from './mail-states.js';
import { MailBounced, Mailer, type MailOutcome, MailRefused, MailUnconfirmed, MailWithdrawn } from './mailer.js';

/** Mails that are sent at once. */
export const BATCH = 10;
/** Timer for a mail that was not sent, with its id. */
export const UNDELIVERED = 'core.mail.undelivered';
/** After this time, a worker that has not reported a result is taken for dead. Longer than sending can take. */
const LEASE_SECONDS = 120;
/** Delays before the second and each further attempt. After the last attempt, a mail is abandoned. */
const PAUSES_SECONDS = [60, 300, 900, 3_600, 10_800, 21_600, 43_200, 86_400, 86_400];
const MAX_ERROR = 500;

/** Ends mails with an update, and has told whom it concerns of those that were not sent. */
const endingWith = (update: string): string => `with ended as (${update} returning tenant_id, id, subject_type, state)
  insert into data.automation_runs (tenant_id, kind, key, state, due_at, created_at)
  select tenant_id, '${UNDELIVERED}', id::text, 'waiting', $1, now() from ended
  where subject_type is not null and state in ('refused', 'bounced', 'failed', 'unconfirmed')
  on conflict (tenant_id, kind, key) do nothing`;
const EXPIRE = endingWith(`update data.mails set content = null, finished_at = $1,
    state = case state when 'queued' then 'failed' else 'unconfirmed' end,
    error = case state when 'queued' then coalesce(error, 'expired') else 'The worker was lost' end
  where due_at <= $1 and (state = 'sending' or (state = 'queued' and expires_at <= $1))`);
const CLAIM = `
  with due as (
    select w.tenant_id, w.id from data.mails w join directory.tenants t on t.id = w.tenant_id and t.is_served
    where w.state = 'queued' and w.due_at <= $1 order by w.due_at limit $2 for no key update of w skip locked)
  update data.mails m set attempts = m.attempts + 1, due_at = $1::timestamptz + $3 * interval '1 second'
  from due, directory.tenants t
  where m.tenant_id = due.tenant_id and m.id = due.id and t.id = m.tenant_id
  returning m.id, m.content, m.attempts, t.id as "tenantId", t.slug, t.plan, t.currency, t.epoch::text as epoch`;
// `attempts` tells the claim of this worker from a later one.
const HAND_OVER = `update data.mails set state = 'sending'
  where tenant_id = $1 and id = $2 and attempts = $3 and state = 'queued' returning id`;
const END = endingWith(`update data.mails set state = $5, content = null, error = $6, finished_at = $1
  where tenant_id = $2 and id = $3 and attempts = $4 and state in ('queued', 'sending')`);
const RETRY = `update data.mails set state = 'queued', due_at = $4, error = $5
  where tenant_id = $1 and id = $2 and attempts = $3 and state in ('queued', 'sending')`;

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
 * Sends the mails in the outbox, in the worker. A mail is claimed, transmitted, and marked as `sending` before its end
 * is, so what is marked may have been sent, and is never repeated. If a worker dies before, the mail is sent again when
 * the lease expires; if it dies after that and before the result is recorded, the mail is `unconfirmed`.
 */
@Injectable()
export class MailDelivery {
  private readonly logger = new Logger('mail');
  private readonly outcomes: Counter;

  constructor(
    private readonly database: Database,
    private readonly mailer: Mailer,
    private readonly composition: MailComposition,
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
        const kept = JSON.parse(await this.sealer.open(content, MAIL_CONTENT, id)) as MailContent; // as it was sealed
        outcome = await this.mailer.send(await this.composition.compose(id, kept), () => this.handOver(claimed));
      } catch (error) {
        outcome = error as Error;
      }
      await this.settle(claimed, outcome);
      this.outcomes.inc({ outcome: stateAfter(outcome) ?? 'failed' });
      if (outcome instanceof Error && !(outcome instanceof MailWithdrawn))
        this.logger.warn(`The mail ${id} could not be sent (attempt ${attempts}): ${outcome.message}`);
    });
  }

  /** @throws MailWithdrawn if the mail was cancelled meanwhile, or is no longer claimed by this worker. */
  private async handOver({ tenantId, id, attempts }: ClaimedMail): Promise<void> {
    const [answer] = await this.database.system([statement(HAND_OVER, [tenantId, id, attempts])]);
    if (answer!.rows.length === 0) throw new MailWithdrawn('withdrawn');
  }

  private async settle({ tenantId, id, attempts }: ClaimedMail, outcome: MailOutcome | Error): Promise<void> {
    const nowMs = this.clock.nowMs();
    const at = (ms: number): string => new Date(ms).toISOString();
    const error = outcome instanceof Error ? storableText(outcome.message, MAX_ERROR) : null;
    const pauseSeconds = PAUSES_SECONDS[attempts - 1];
    const state = stateAfter(outcome) ?? (pauseSeconds === undefined ? 'failed' : null);
    const settled =
      state === null
        ? statement(RETRY, [tenantId, id, attempts, at(nowMs + pauseSeconds! * 1_000), error])
        : statement(END, [at(nowMs), tenantId, id, attempts, state, error]);
    await this.database.system([settled]);
  }
}

/** The state that a result leads to; null for a failure after which another attempt may succeed. */
function stateAfter(outcome: MailOutcome | Error): MailState | null {
  if (!(outcome instanceof Error)) return outcome;
  if (outcome instanceof MailBounced) return 'bounced';
  if (outcome instanceof MailRefused) return 'refused';
  if (outcome instanceof MailUnconfirmed) return 'unconfirmed';
  return outcome instanceof MailWithdrawn ? 'cancelled' : null;
}
