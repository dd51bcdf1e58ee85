import { callerOrNull } from '#libs/auth/current-principal.js';
import { NIL_UUID } from '#libs/kernel/id.js';
import type { Guard } from '#libs/resource/lists/table.js';

const MANAGE = 'projects:manage';
/** Placeholder membership for a caller without one. */
const NOBODY = NIL_UUID;

/** Whether the caller sees only some private projects. The platform itself sees all projects. */
function isRestricted(): boolean {
  const caller = callerOrNull();
  return caller !== null && caller.permissions.reach(MANAGE) !== 'tenant';
}

/** SQL of whether the caller may see the project `p`: private projects are visible to members and project managers. */
function visible(p: string, add: (value: unknown) => string): string {
  return `(${p}.visibility = 'workspace' or exists (select 1 from data.work_project_members m
    where m.tenant_id = ${p}.tenant_id and m.project_id = ${p}.id
      and m.member_id = ${add(callerOrNull()?.membershipId ?? NOBODY)}::uuid))`;
}

/** Projects that the caller may see; null for all. */
export function projectGuard(): Guard | null {
  return isRestricted() ? (add) => visible('t', add) : null;
}

/** Parts of visible projects, including projects in the trash, and parts without a project; null for all. */
export function secretPartGuard(): Guard | null {
  if (!isRestricted()) return null;
  return (add) => `(t.project_id is null or exists (select 1 from data.work_projects p
    where p.tenant_id = t.tenant_id and p.id = t.project_id and ${visible('p', add)}))`;
}

/**
 * Parts of visible projects outside the trash, and parts without a project.
 * @param optional whether parts without a project exist.
 */
export function partGuard(optional: boolean): Guard {
  const restricted = isRestricted();
  return (add) => {
    const condition = restricted ? ` and ${visible('p', add)}` : '';
    const found = `exists (select 1 from data.work_projects p
      where p.tenant_id = t.tenant_id and p.id = t.project_id and p.deleted_at is null${condition})`;
    return optional ? `(t.project_id is null or ${found})` : found;
  };
}
