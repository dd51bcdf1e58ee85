import { Injectable } from '@nestjs/common';
import { currentPrincipal, requirePermission } from '#libs/auth/current-principal.js';
import { Database } from '#libs/database/database.js';
import { Problem } from '#libs/kernel/problem.js';
import { type Member, MEMBERSHIP_TYPE, type OutOfOffice } from '#libs/members/member.js';
import { Members } from '#libs/members/members.js';
import { hourViolations, inOrder } from '#libs/settings/working-hours.js';
import { checkPrecondition } from '#libs/resource/records/precondition.js';
import type { Profile, UpdateProfile } from './profile.dto.js';

/** Profiles of members, stored in their membership. */
@Injectable()
export class ProfileService {
  constructor(
    private readonly members: Members,
    private readonly database: Database,
  ) {}

  async read(): Promise<Profile> {
    const member = await this.members.find(ownId());
    if (!member) throw Problem.notFound();
    return viewOf(member);
  }

  /** Applies a merge patch. @throws Problem 400, 409 `managed_by_scim`, 412. */
  update({ workingHours, ...patch }: UpdateProfile): Promise<Profile> {
    const violations = hourViolations(workingHours ?? []);
    if (violations.length > 0) throw Problem.validation(violations);
    return this.database.transaction(async (transaction) => {
      const member = await this.members.lock(transaction, ownId());
      checkPrecondition(member.version);
      const changes =
        workingHours === undefined ? patch : { ...patch, workingHours: workingHours && inOrder(workingHours) };
      if (patch.outOfOffice) {
        // A key passes on no more than it may do itself.
        if (currentPrincipal().kind !== 'session') requirePermission('approvals:decide');
        await this.check(patch.outOfOffice, member.id);
      }
      return viewOf(await this.members.describe(transaction, member, changes));
    });
  }

  private async check({ fromDate, toDate, delegateId }: OutOfOffice, ownId: string): Promise<void> {
    if (toDate < fromDate) throw invalid('/outOfOffice/toDate', 'out_of_range', 'It is before the first day.');
    if (delegateId === ownId) throw invalid('/outOfOffice/delegateId', 'not_by_oneself', 'Name somebody else.');
    const delegate = await this.members.find(delegateId);
    if (delegate?.status !== 'active')
      throw invalid('/outOfOffice/delegateId', 'unknown_reference', 'There is no active member with this id.');
  }
}

/** The route admits only callers that act for a person. */
function ownId(): string {
  return currentPrincipal().membershipId!;
}

function viewOf({ id, name, email, locale, timezone, workingHours, outOfOffice, version, updatedAt }: Member): Profile {
  return { id, object: MEMBERSHIP_TYPE, name, email, locale, timezone, workingHours, outOfOffice, version, updatedAt };
}

function invalid(pointer: string, code: string, detail: string): Problem {
  return Problem.validation([{ pointer, code, detail }]);
}
