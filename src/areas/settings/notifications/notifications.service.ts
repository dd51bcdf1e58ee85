import { Injectable } from '@nestjs/common';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { Database } from '#libs/database/database.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Member } from '#libs/members/member.js';
import { Suppressions } from '#libs/mail/suppressions.js';
import { Members } from '#libs/members/members.js';
import { choicesOf, NOTIFICATION_KINDS, ownOf } from '#libs/members/notification-choices.js';
import { checkPrecondition } from '#libs/resource/records/precondition.js';
import type { Notifications, UpdateNotifications } from './notifications.dto.js';

/** How members receive notifications. */
@Injectable()
export class NotificationsService {
  constructor(
    private readonly members: Members,
    private readonly database: Database,
    private readonly suppressions: Suppressions,
  ) {}

  async read(): Promise<Notifications> {
    const member = await this.members.find(ownId());
    if (!member) throw Problem.notFound();
    return viewOf(member);
  }

  /** Applies a merge patch. A choice of mails revokes that the member ended them by the link of a mail. @throws Problem 412. */
  update({ kinds = {}, digestAt }: UpdateNotifications): Promise<Notifications> {
    return this.database.transaction(async (transaction) => {
      const member = await this.members.lock(transaction, ownId());
      checkPrecondition(member.version);
      const choices = choicesOf(member.notifications);
      for (const kind of NOTIFICATION_KINDS) choices.kinds[kind] = { ...choices.kinds[kind], ...kinds[kind] };
      const wantsMails = Object.values(kinds).some(({ email = 'none' }) => email !== 'none');
      if (wantsMails) transaction.write(this.suppressions.lift(member.email, 'notifications'));
      const notifications = ownOf({ ...choices, digestAt: digestAt ?? choices.digestAt });
      return viewOf(await this.members.describe(transaction, member, { notifications }));
    });
  }
}

/** The route admits only callers that act for a person. */
function ownId(): string {
  return currentPrincipal().membershipId!;
}

function viewOf({ notifications, version }: Member): Notifications {
  return { ...choicesOf(notifications), version };
}
