import { Injectable, type OnModuleInit } from '@nestjs/common';
import { asMember } from '#libs/auth/as-member.js';
import { Authorities } from '#libs/auth/authority.js';
import { type AutomationEvent, Automations } from '#libs/automation/automations.js';
import { Database } from '#libs/database/database.js';
import { PermissionHolders } from '#libs/members/permission-holders.js';
import { Notifier } from '#libs/notifications/notifier.js';
import { type Approval, approvals } from '#libs/resource/gates/approval.js';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { Audience } from './audience.js';

/** Maximum number of members who are told about a request because of a role or permission. */
const MOST_APPROVERS = 100;

/** What the requester is told, by verb of the event. */
const OUTCOMES: Record<string, string> = {
  executed: 'Approved',
  failed: 'Approved, but it failed',
  rejected: 'Rejected',
  expired: 'Expired without a decision',
  cancelled: 'Cancelled',
};

/** Notifies approvers of requests, and requesters of the outcome. */
@Injectable()
export class ApprovalNotices implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly approvals: ApprovalsService,
    private readonly authorities: Authorities,
    private readonly holders: PermissionHolders,
    private readonly notifier: Notifier,
    private readonly audience: Audience,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    const requested = (event: AutomationEvent) => this.tellApprovers(event);
    this.automations.on({
      flow: 'home.notifications.of_request',
      event: `${approvals.type}.requested`,
      onBehalf: { of: 'readers' },
      handle: requested,
    });
    for (const [verb, outcome] of Object.entries(OUTCOMES))
      this.automations.on({
        flow: `home.notifications.of_${verb}_request`,
        event: `${approvals.type}.${verb}`,
        onBehalf: { of: 'readers' },
        handle: (event) => this.tellRequester(event, outcome),
      });
  }

  private tellApprovers({ subject: { id, url } }: AutomationEvent): Promise<void> {
    return this.database.transaction(async (transaction) => {
      const row = await this.approvals.records.find(id);
      if (!row) return; // deleted meanwhile
      const { name } = await this.audience.authorOf(row.requester);
      const notice = {
        kind: 'approval_requested',
        subject: { object: approvals.type, id },
        url,
        title: `Approval needed: ${row.name}`,
        body: `Requested by ${name}`,
      } as const;
      await this.notifier.tell(transaction, notice, await this.approversOf(row));
    });
  }

  private tellRequester({ actor, subject: { id, url } }: AutomationEvent, outcome: string): Promise<void> {
    return this.database.transaction(async (transaction) => {
      const row = await this.approvals.records.find(id);
      const requester = row?.requester.membershipId ?? null;
      if (!row || requester === null || requester === (await this.audience.authorOf(actor)).id) return;
      const notice = {
        kind: 'approval_decided',
        subject: { object: approvals.type, id },
        url,
        title: `${outcome}: ${row.name}`,
        body: row.failure?.detail ?? row.decisions.at(-1)?.note ?? null,
      } as const;
      await this.notifier.tell(transaction, notice, [requester]);
    });
  }

  /** The members who may decide on a pending request now, including delegates of absent members. */
  private async approversOf({ id, rule: { memberIds, roleIds = [] } }: Approval): Promise<string[]> {
    const isNamed = memberIds.length + roleIds.length > 0;
    const others = isNamed
      ? await this.holders.withRoles(roleIds, MOST_APPROVERS)
      : await this.holders.find('approvals:decide', MOST_APPROVERS);
    const named = [...memberIds, ...others];
    const approvers: string[] = [];
    for (const each of new Set([...named, ...(await this.audience.delegatesOf(named))]))
      if (await asMember(this.authorities, each, () => this.approvals.awaitsCaller(id))) approvers.push(each);
    return approvers;
  }
}
