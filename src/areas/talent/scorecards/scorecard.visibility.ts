import { callerOrNull, holds } from '#libs/auth/current-principal.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Guard } from '#libs/resource/lists/table.js';

/**
 * The caller's own cards. Also other members' submitted cards, if the caller has submitted one for the same application
 * or may read all. Null for all cards.
 */
export function blind(): Guard | null {
  const me = callerOrNull()?.membershipId;
  if (!me) return null;
  const isAll = holds('interview-scorecards:read-all');
  return (add) => {
    const own = add(me);
    const others = `t.status = 'submitted' and (${add(isAll)}::boolean or exists (select 1 from data.talent_scorecards mine
        where mine.tenant_id = t.tenant_id and mine.application_id = t.application_id
          and mine.interviewer_id = ${own}::uuid and mine.status = 'submitted'))`;
    return `(t.interviewer_id = ${own}::uuid or ${others})`;
  };
}

/** @throws Problem 403 for a member who would edit another member's card. */
export function refuseOthers(interviewerId: string): void {
  const me = callerOrNull()?.membershipId;
  if (me && me !== interviewerId)
    throw new Problem('permission_denied', 'A scorecard is written by the interviewer whose it is.');
}
