import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type AutomationEvent, Automations } from '#libs/automation/automations.js';
import { Database } from '#libs/database/database.js';
import { PermissionHolders } from '#libs/members/permission-holders.js';
import { Notifier } from '#libs/notifications/notifier.js';
import { failureIn } from '#libs/steps/run-next-step.js';
import type { Step } from '#libs/steps/step.js';
import type { ActorStamp } from '#libs/resource/types/record.entity.js';
import { ACCEPTED } from '#src/areas/handover/handover.area.js';
import { Audience } from './audience.js';

/** Maximum number of members who are told that a handoff waits, because they may accept it. */
const MOST_ACCEPTORS = 100;

/** The part of a handoff's events that notifications need. */
interface HandoffData {
  name: string;
  dealId: string;
  salesOwnerId: string | null;
  deliveryOwnerId: string | null;
  submittedBy: ActorStamp | null;
  returnReason: string | null;
  steps: Step[];
}

/** Events of handoffs. */
const NOTICES = {
  submitted: { kind: 'approval_requested', title: 'Handoff to accept' },
  accepted: { kind: 'approval_decided', title: 'Handoff accepted' },
  returned: { kind: 'approval_decided', title: 'Handoff returned' },
  failed: { kind: 'assignment', title: 'Handoff failed' },
} as const;
type Verb = keyof typeof NOTICES;

/** Notifies the members whom a handoff concerns and who may see its deal. */
@Injectable()
export class HandoffNotices implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly holders: PermissionHolders,
    private readonly notifier: Notifier,
    private readonly audience: Audience,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    for (const verb of Object.keys(NOTICES) as Verb[])
      this.automations.on({
        flow: `home.notifications.of_handoff_${verb}`,
        event: `sales.handoff.${verb}`,
        onBehalf: { of: 'readers' },
        handle: (event) => this.tell(event, verb),
      });
  }

  private tell({ data, actor }: AutomationEvent, verb: Verb): Promise<void> {
    const handoff = data as unknown as HandoffData; // its schema is that of the handoff
    const { kind, title } = NOTICES[verb];
    return this.database.transaction(async (transaction) => {
      const { id: authorId } = await this.audience.authorOf(actor);
      const readers = await this.readersOf(handoff, verb, authorId);
      const notice = {
        kind,
        subject: { object: 'sales.deal', id: handoff.dealId },
        title: `${title}: ${handoff.name}`,
        body: verb === 'returned' ? handoff.returnReason : verb === 'failed' ? failureIn(handoff.steps) : null,
        url: `/api/admin/sales-handoff?dealId=${handoff.dealId}`,
      };
      const others = readers.filter((each) => each !== null && each !== authorId) as string[];
      await this.notifier.tell(transaction, notice, others);
    });
  }

  /** A handoff that its delivery owner has submitted needs somebody else to accept it, as does one without. */
  private async readersOf(handoff: HandoffData, verb: Verb, authorId: string | null): Promise<(string | null)[]> {
    const { salesOwnerId, deliveryOwnerId, submittedBy } = handoff;
    if (verb === 'failed') return [handoff[ACCEPTED.told.memberIn]];
    if (verb !== 'submitted') return [salesOwnerId, submittedBy && (await this.audience.authorOf(submittedBy)).id];
    const isTheirs = deliveryOwnerId !== null && deliveryOwnerId !== authorId;
    return isTheirs ? [deliveryOwnerId] : this.holders.find(ACCEPTED.asks, MOST_ACCEPTORS);
  }
}
