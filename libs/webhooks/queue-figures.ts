import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Metrics } from '#libs/metrics/metrics.js';
import type { Work } from '#libs/worker/loop.js';

const READ = `
  select (select count(*) from data.webhook_queue)::integer as entries,
    coalesce((select extract(epoch from now() - min(due_at)) from data.webhook_queue where lease_token is null and due_at <= now()), 0)
      ::float8 as "dueSeconds",
    coalesce((select extract(epoch from now() - e.occurred_at)
      from (select tenant_id, event_id from data.events_pending order by event_id limit 1) p
        join data.events e on e.tenant_id = p.tenant_id and e.id = p.event_id), 0)::float8 as "pendingSeconds",
    aside."setAside", aside."givenUp",
    dead::float8 as "deadRows", dead / greatest(1, live + dead)::float8 as "deadShare"
  from (select n_dead_tup as dead, n_live_tup as live from pg_stat_user_tables
    where schemaname = 'data' and relname = 'webhook_queue') as rows,
    (select count(due_at)::integer as "setAside", (count(*) - count(due_at))::integer as "givenUp"
    from data.events_set_aside) as aside`;

interface Figures {
  entries: number;
  /** How long the longest overdue delivery has waited. */
  dueSeconds: number;
  /** Age of the oldest event that has not been fanned out. */
  pendingSeconds: number;
  /** Events that could not be fanned out: those that are retried, and those that are given up. */
  setAside: number;
  givenUp: number;
  /** Dead rows of the queue table. */
  deadRows: number;
  /** Share of dead rows in the queue table, 0 to 1. */
  deadShare: number;
}

/** How far delivery is behind, over all tenants, for the operator's alerts. */
@Injectable()
export class QueueFigures {
  private figures: Figures = {
    entries: 0,
    dueSeconds: 0,
    pendingSeconds: 0,
    setAside: 0,
    givenUp: 0,
    deadRows: 0,
    deadShare: 0,
  };

  constructor(
    private readonly database: Database,
    metrics: Metrics,
  ) {
    metrics.gauge('events_pending_seconds', 'Age of the oldest event that is not fanned out.', () => {
      return this.figures.pendingSeconds;
    });
    metrics.gauge('events_set_aside', 'Events that could not be fanned out and will be tried again.', () => {
      return this.figures.setAside;
    });
    metrics.gauge(
      'events_given_up',
      'Events that could not be fanned out ten times: they wait for an operator.',
      () => {
        return this.figures.givenUp;
      },
    );
    metrics.gauge('webhook_queue_entries', 'Open deliveries.', () => this.figures.entries);
    metrics.gauge('webhook_queue_due_seconds', 'How long the delivery that is due the longest has waited.', () => {
      return this.figures.dueSeconds;
    });
    metrics.gauge('webhook_queue_dead_rows', 'Rows of the queue that wait for a vacuum.', () => this.figures.deadRows);
    metrics.gauge('webhook_queue_dead_share', 'Share of the rows of the queue that wait for a vacuum.', () => {
      return this.figures.deadShare;
    });
  }

  /** Updates the figures. */
  async read(): Promise<Work> {
    const [figures] = await this.database.systemRead<Figures>(statement(READ));
    this.figures = figures!;
    return 'none';
  }
}
