import { statement, type Statement } from '#libs/database/statement.js';
import type { Automations } from './automations.js';

/** Length at which a chain of automations that trigger each other is cut. */
export const MAX_DEPTH = 8;

const ADD = `
  insert into data.automation_runs (tenant_id, kind, key, event_id, subject_id, position, state, due_at, created_at,
    finished_at, error_code, error_detail)
  select r.tenant_id, r.kind, r.event_id::text, r.event_id, r.subject_id, r.position, case when r.cut then 'failed' else 'ready' end,
    now(), now(), case when r.cut then now() end, case when r.cut then 'loop' end,
    case when r.cut then 'Automations have caused each other too often.' end
  from unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::bigint[], $6::boolean[])
    as r (tenant_id, kind, event_id, subject_id, position, cut)
  on conflict (tenant_id, kind, key) do nothing`;

/** The fields of a numbered event that flows need. */
export interface NumberedEvent {
  tenantId: string;
  id: string;
  type: string;
  subjectId: string;
  depth: number;
  sequence: number;
}

/**
 * The statement that schedules one run for each event and each flow it starts; null when there are none. Commit it
 * together with the numbering of the events so that none is skipped. An event at {@link MAX_DEPTH} gets a failed run.
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
    runs.map(({ event }) => event.depth >= MAX_DEPTH),
  ]);
}
