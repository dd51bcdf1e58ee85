import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type AutomationEvent, Automations } from '#libs/automation/automations.js';
import { Database } from '#libs/database/database.js';
import { Notifier } from '#libs/notifications/notifier.js';
import { Audience } from './audience.js';

/** The part of a handoff's events that notifications need. */
interface HandoffData {
  name: string;
  dealId: string;
  salesOwnerId: string | null;
  deliveryOwnerId: string | null;
  returnReason: string | null;
}

/** Events of handoffs, and who is told of them. */
const NOTICES = {
  submitted: { kind: 'approval_requested', to: 'deliveryOwnerId', title: 'Handoff to accept' },
  accepted: { kind: 'approval_decided', to: 'salesOwnerId', title: 'Handoff accepted' },
  returned: { kind: 'approval_decided', to: 'salesOwnerId', title: 'Handoff returned' },
  failed: { kind: 'assignment', to: 'deliveryOwnerId', title: 'Handoff failed' },
} as const;

/** Notifies the owners of a handoff who may see its deal. */
@Injectable()
export class HandoffNotices implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly notifier: Notifier,
    private readonly audience: Audience,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    for (const verb of Object.keys(NOTICES) as (keyof typeof NOTICES)[])
      this.automations.on({
        flow: `home.notifications.of_handoff_${verb}`,
        event: `sales.handoff.${verb}`,
        handle: (event) => this.tell(event, verb),
      });
  }

  private tell({ data, actor }: AutomationEvent, verb: keyof typeof NOTICES): Promise<void> {
    const handoff = data as unknown as HandoffData; // its schema is that of the handoff
    const { kind, to, title } = NOTICES[verb];
    return this.database.transaction(async (transaction) => {
      const author = await this.audience.authorOf(actor);
      const reader = handoff[to];
      if (reader === null || reader === author.id) return;
      const notice = {
        kind,
        subject: { object: 'sales.deal', id: handoff.dealId },
        title: `${title}: ${handoff.name}`,
        body: verb === 'returned' ? handoff.returnReason : null,
        url: `/api/admin/sales-handoff?dealId=${handoff.dealId}`,
      };
      await this.notifier.tell(transaction, notice, [reader]);
    });
  }
}
