import { statement, type Statement } from '#libs/database/statement.js';
import type { Automations } from './automations.js';

const ADD = `
  insert into data.automation_runs (tenant_id, kind, key, event_id, subject_id, position, state, due_at, created_at)
  select r.tenant_id, r.kind, r.event_id::text, r.event_id, r.subject_id, r.position, 'ready', now(), now()
  from unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::bigint[])
    as r (tenant_id, kind, event_id, subject_id, position)
  on conflict (tenant_id, kind, key) do nothing`;

/** The fields of a numbered event that flows need. */
export interface NumberedEvent {
  tenantId: string;
  id: string;
  type: string;
  subjectId: string;
  sequence: number;
}

/**
 * The statement that schedules one run for each event and each flow it starts; null when there are none. Commit it
 * together with the numbering of the events so that none is skipped.
 */
export function flowRunsStatement(automations: Automations, events: readonly NumberedEvent[]): Statement | null {
  const runs = events.flatMap((event) => automations.startedBy(event.type).map((flow) => ({ flow, event })));
  if (runs.length === 0) return null;
  return statement(ADD, [
    runs.map(({ event }) => event.tenantId),
    runs.map(({ flow }) => flow),
    runs.map(({ event }) => event.id),
    runs.map(({ event }) => event.subjectId),
    runs.map(({ event }) => event.sequence),
  ]);
}
