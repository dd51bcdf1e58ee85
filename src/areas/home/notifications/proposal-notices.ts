import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type AutomationEvent, Automations } from '#libs/automation/automations.js';
import { Database } from '#libs/database/database.js';
import { PermissionHolders } from '#libs/members/permission-holders.js';
import { Notifier } from '#libs/notifications/notifier.js';
import { RecordSubjects } from '#libs/resource/access/record-subjects.js';
import type { DealOutcome } from '#src/areas/proposals/proposals.area.js';
import { Audience } from './audience.js';

/** What customers and time do to proposals, by verb of the event. */
const TITLES = {
  viewed: 'Proposal opened',
  accepted: 'Proposal accepted',
  declined: 'Proposal declined',
  expired: 'Proposal expired',
} as const;
type Verb = keyof typeof TITLES;

/** What is left to do by hand after an acceptance. */
const LEFT: Partial<Record<DealOutcome, string>> = {
  not_open: 'Its deal is in the trash or archived. Bring it back, and win it by hand.',
  not_permitted:
    'Its deal was not won, because whoever sent the proposal may not win it any more. Somebody who may has to win it by hand.',
  gate: 'Its deal was not won, because the gate deal.win holds for it. Win it by hand, so that the approvers are asked.',
};
/** Maximum number of members who are told because of a permission. */
const MOST_CLOSERS = 20;

/** The part of the events of proposals that notifications need. */
interface ProposalData {
  dealOutcome: DealOutcome | null;
  declineReason: string | null;
  acceptance: { name: string } | null;
}

/**
 * Tells the owner of a proposal what the customer did, or that it expired. If the deal has to be won by hand, those who
 * may win any deal are told, too.
 */
@Injectable()
export class ProposalNotices implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly holders: PermissionHolders,
    private readonly notifier: Notifier,
    private readonly audience: Audience,
    private readonly subjects: RecordSubjects,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    for (const verb of Object.keys(TITLES) as Verb[])
      this.automations.on({
        flow: `home.notifications.of_${verb}_proposal`,
        event: `proposals.proposal.${verb}`,
        onBehalf: { of: 'readers' },
        handle: (event) => this.tell(event, verb),
      });
  }

  private tell({ subject: { type, id }, actor, data }: AutomationEvent, verb: Verb): Promise<void> {
    return this.database.transaction(async (transaction) => {
      const proposal = await this.subjects.ifVisible(type, id);
      if (!proposal) return; // deleted meanwhile
      const { name, reference, ownerId, url } = proposal;
      const { dealOutcome, declineReason, acceptance } = data as unknown as ProposalData; // its schema is that of the proposal
      const left = dealOutcome === null ? undefined : LEFT[dealOutcome];
      const said = verb === 'declined' ? declineReason : verb === 'accepted' ? `By ${acceptance!.name}.` : null;
      const author = await this.audience.authorOf(actor);
      const closers = left === undefined ? [] : await this.holders.find('deals:close', MOST_CLOSERS);
      const told = new Set([...(ownerId !== null && (left || ownerId !== author.id) ? [ownerId] : []), ...closers]);
      const title = `${TITLES[verb]}: ${name} (${reference})`;
      const body = [said, left].filter((each) => each != null).join(' ') || null;
      await this.notifier.tell(
        transaction,
        { kind: left === undefined ? 'watch' : 'assignment', subject: { object: type, id }, url, title, body },
        [...told],
      );
    });
  }
}
