import type { AuditDetails, AuditEntry } from '#libs/audit/audit-entry.js';

/** A row of {@link eventsOf}. */
export interface RawEvent {
  entryId: string;
  occurredAt: string;
  entry: string;
  details: string;
  /** Whether a member changed their own membership. */
  isOwn: boolean;
}

export interface ShownEvent {
  entryId: string;
  occurredAt: string;
  action: string;
  actorType: string;
  actorId: string | null;
  targetType: string | null;
  targetId: string | null;
  approvedBy: string[];
  changed: string[];
}

/** The columns of {@link ShownEvent} in their order. */
export const EVENT_COLUMNS = [
  'entryId',
  'occurredAt',
  'action',
  'actorType',
  'actorId',
  'targetType',
  'targetId',
  'approvedBy',
  'changed',
] as const satisfies readonly (keyof ShownEvent)[];

/** Successful actions in the period, from the audit log. Names and values are left out, because they can be erased. */
export function eventsOf(actions: readonly string[]): string {
  return `
    select t.id as "entryId", t.occurred_at as "occurredAt", t.entry, t.details,
      t.target_type = 'core.membership' and (t.actor_id = t.target_id or t.actor_id = any (
        array(select k::text from directory.keys_of(t.target_id::uuid) k))) as "isOwn"
    from data.audit_log t
    where t.tenant_id = $1 and t.occurred_at >= $2 and t.occurred_at < $3 and t.outcome = 'success'
      and t.action = any (array[${actions.map((action) => `'${action}'`).join(', ')}])`;
}

export const EVENT_ORDER = `"occurredAt", "entryId"`;

export function eventOf({ entryId, occurredAt, entry, details }: RawEvent): ShownEvent {
  const { action, actor, target, allowedBy = [] } = JSON.parse(entry) as AuditEntry;
  const { changes } = JSON.parse(details) as AuditDetails;
  return {
    entryId,
    occurredAt,
    action,
    actorType: actor.type,
    actorId: actor.id,
    targetType: target?.type ?? null,
    targetId: target?.id ?? null,
    approvedBy: allowedBy.flatMap(({ id }) => id ?? []),
    changed: Object.keys(changes ?? {}).sort(),
  };
}

/** Nothing is wrong with a record of what happened. */
export const recorded = (): null => null;
