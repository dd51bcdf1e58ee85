import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Metrics } from '#libs/metrics/metrics.js';
import { Loop, type Work } from '#libs/worker/loop.js';
import type { Background } from '#libs/worker/worker-part.js';

const EVERY_MS = 5_000;

/** Seconds since an id was made: the first 48 bits of a UUIDv7 are its time in ms. */
const ageOf = (id: string): string =>
  `extract(epoch from now()) - ('x' || left(replace(${id}::text, '-', ''), 12))::bit(48)::bigint / 1000.0`;
const oldest = (table: string, id: string): string =>
  `greatest(0, coalesce((select ${ageOf(id)} from data.${table} order by position limit 1), 0))::integer`;
// Without a backlog the tables of pending rows are almost empty.
const MEASURE = `
  insert into directory.background_lags (relay_seconds, sealing_seconds, mail_seconds, measured_at)
  select ${oldest('events_pending', 'event_id')}, ${oldest('audit_pending', 'entry_id')},
    greatest(0, coalesce((select extract(epoch from now() - min(due_at)) from data.mails where state = 'queued'), 0))::integer,
    now()
  on conflict (singleton) do update set relay_seconds = excluded.relay_seconds,
    sealing_seconds = excluded.sealing_seconds, mail_seconds = excluded.mail_seconds, measured_at = excluded.measured_at
  returning sealing_seconds as "sealingSeconds", mail_seconds as "mailSeconds"`;

/** Measures how far the background work is behind, for the public status. The API cannot read across tenants. */
@Injectable()
export class StatusMeasuring implements Background {
  readonly onBehalf = { of: 'platform', because: 'upkeep' } as const;
  private readonly loop = new Loop('Measuring the status', { busyMs: EVERY_MS, idleMs: EVERY_MS }, () =>
    this.measure(),
  );

  private lags = { sealingSeconds: 0, mailSeconds: 0 };

  constructor(
    private readonly database: Database,
    metrics: Metrics,
  ) {
    metrics.gauge('audit_pending_seconds', 'Age of the oldest audit entry that is not sealed.', () => {
      return this.lags.sealingSeconds;
    });
    metrics.gauge('mails_due_seconds', 'How long the mail that is due the longest has waited.', () => {
      return this.lags.mailSeconds;
    });
  }

  start(): void {
    this.loop.start();
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  async measure(): Promise<Work> {
    const [lags] = await this.database.systemRead<typeof this.lags>(statement(MEASURE));
    this.lags = lags!;
    return 'none';
  }
}
