import { Injectable, type OnModuleInit } from '@nestjs/common';
import { asMember } from '#libs/auth/as-member.js';
import { Authorities } from '#libs/auth/authority.js';
import { type AutomationEvent, Automations } from '#libs/automation/automations.js';
import { Database } from '#libs/database/database.js';
import { Problem } from '#libs/kernel/problem.js';
import { PermissionHolders } from '#libs/members/permission-holders.js';
import { Notifier } from '#libs/notifications/notifier.js';
import { RecordSubjects } from '#libs/resource/access/record-subjects.js';
import { Audience } from './audience.js';

const TYPE = 'work.time_entry';
const PROJECT = 'work.project';
const APPROVE = 'time-entries:approve';
/** Maximum number of members who are told about submitted time because of their permission. */
const MOST_APPROVERS = 100;

/** The part of a time entry's events that notifications need. */
interface TimeEntryData {
  membershipId: string;
  projectId: string | null;
  rejectedReason: string | null;
}

/** Notifies those who may approve submitted time, and members whose time is rejected. */
@Injectable()
export class TimeEntryNotices implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly authorities: Authorities,
    private readonly holders: PermissionHolders,
    private readonly notifier: Notifier,
    private readonly audience: Audience,
    private readonly subjects: RecordSubjects,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.automations.on({
      flow: 'home.notifications.of_submitted_time',
      event: `${TYPE}.submitted`,
      onBehalf: { of: 'readers' },
      handle: (event) => this.tellApprovers(event),
    });
    this.automations.on({
      flow: 'home.notifications.of_rejected_time',
      event: `${TYPE}.rejected`,
      onBehalf: { of: 'readers' },
      handle: (event) => this.tellMember(event),
    });
  }

  /** The subject is the project, or the member without one, because members submit many entries at once. */
  private tellApprovers({ data, actor, subject: { id } }: AutomationEvent): Promise<void> {
    const { membershipId, projectId } = data as unknown as TimeEntryData; // its schema is that of the entry
    return this.database.transaction(async (transaction) => {
      const project = projectId === null ? null : await this.subjects.ifVisible(PROJECT, projectId);
      const author = await this.audience.authorOf(actor);
      const other = author.id === membershipId ? null : await this.audience.nameOf(membershipId);
      const about = project ? `projectId=${project.id}` : `membershipId=${membershipId}`;
      const notice = {
        kind: 'approval_requested',
        subject: project ? { object: PROJECT, id: project.id } : { object: 'core.membership', id: membershipId },
        url: `/api/v1/work/time-entries?${about}&status=submitted`,
        title: `Time to approve: ${project?.name ?? 'no project'}`,
        body: other === null ? `Submitted by ${author.name}` : `For ${other}, submitted by ${author.name}`,
      } as const;
      const approvers = await this.approversOf(id, project?.ownerId ?? null, [author.id, membershipId]);
      await this.notifier.tell(transaction, notice, approvers);
    });
  }

  private tellMember({ data, actor, subject: { id, url } }: AutomationEvent): Promise<void> {
    const { membershipId, rejectedReason } = data as unknown as TimeEntryData; // its schema is that of the entry
    return this.database.transaction(async (transaction) => {
      const entry = await this.subjects.ifVisible(TYPE, id);
      if (!entry || (await this.audience.authorOf(actor)).id === membershipId) return;
      const subject = { object: TYPE, id };
      const title = `Rejected: ${entry.name}`;
      const notice = { kind: 'approval_decided', subject, url, title, body: rejectedReason } as const;
      await this.notifier.tell(transaction, notice, [membershipId]);
    });
  }

  /** The owner of the project if they may approve the entry; otherwise the members with the permission. */
  private async approversOf(
    id: string,
    ownerId: string | null,
    besides: readonly (string | null)[],
  ): Promise<string[]> {
    const [owner] = await this.approversAmong(ownerId === null ? [] : [ownerId], id, besides);
    if (owner !== undefined) return [owner];
    return this.approversAmong(await this.holders.find(APPROVE, MOST_APPROVERS), id, besides);
  }

  private async approversAmong(
    memberIds: readonly string[],
    id: string,
    besides: readonly (string | null)[],
  ): Promise<string[]> {
    const approvers: string[] = [];
    for (const each of memberIds)
      if (!besides.includes(each) && (await this.mayApprove(each, id))) approvers.push(each);
    return approvers;
  }

  private async mayApprove(memberId: string, id: string): Promise<boolean> {
    const approvable = asMember(this.authorities, memberId, () => this.subjects.namedFor(TYPE, id, APPROVE));
    try {
      return (await approvable) !== null;
    } catch (error) {
      if (error instanceof Problem) return false;
      throw error;
    }
  }
}
