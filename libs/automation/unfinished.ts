/** A flow, and the type of the events that start it (not a pattern). */
export interface FlowName {
  flow: string;
  event: string;
}

/**
 * SQL for whether a flow will still run for an event of a subject of the tenant `$1`. A run that has failed for good is
 * over. Events without a number are looked up by key, because they have no runs yet.
 * @param subject SQL of the id of the subject
 */
export function isUnfinished({ flow, event }: FlowName, subject: string): string {
  return `(exists (select from data.automation_runs r where r.tenant_id = $1 and r.kind = '${flow}'
      and r.subject_id = ${subject}::text and r.state in ('waiting', 'ready'))
    or exists (select from data.events_pending p where p.tenant_id = $1 and (
      select e.type = '${event}' and e.subject_id = ${subject}::text from data.events e
      where e.tenant_id = $1 and e.id = p.event_id)))`;
}
