import { Injectable } from '@nestjs/common';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { Database } from '#libs/database/database.js';
import { Problem } from '#libs/kernel/problem.js';
import { MAIL_KINDS, type Member } from '#libs/members/member.js';
import { Members } from '#libs/members/members.js';
import { checkPrecondition } from '#libs/resource/records/precondition.js';
import type { MailChoice, Notifications, UpdateNotifications } from './notifications.dto.js';

/** Email preferences of members. */
@Injectable()
export class NotificationsService {
  constructor(
    private readonly members: Members,
    private readonly database: Database,
  ) {}

  async read(): Promise<Notifications> {
    const member = await this.members.find(ownId());
    if (!member) throw Problem.notFound();
    return viewOf(member);
  }

  /** Applies a merge patch. @throws Problem 412. */
  update({ kinds = {} }: UpdateNotifications): Promise<Notifications> {
    return this.database.transaction(async (transaction) => {
      const member = await this.members.lock(transaction, ownId());
      checkPrecondition(member.version);
      const choices = { ...viewOf(member).kinds, ...kinds };
      const mutedMails = MAIL_KINDS.filter((kind) => choices[kind].email === 'none');
      return viewOf(await this.members.describe(transaction, member, { mutedMails }));
    });
  }
}

/** The route admits only callers that act for a person. */
function ownId(): string {
  return currentPrincipal().membershipId!;
}

function viewOf({ mutedMails, version }: Member): Notifications {
  const choice = (kind: (typeof MAIL_KINDS)[number]): MailChoice => ({
    email: mutedMails.includes(kind) ? 'none' : 'instant',
  });
  return {
    kinds: { endpoint: choice('endpoint'), report: choice('report'), security: choice('security') },
    version,
  };
}
