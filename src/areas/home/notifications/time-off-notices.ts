import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type AutomationEvent, Automations } from '#libs/automation/automations.js';
import { Database } from '#libs/database/database.js';
import { PermissionHolders } from '#libs/members/permission-holders.js';
import { Notifier } from '#libs/notifications/notifier.js';
import { RecordSubjects } from '#libs/resource/access/record-subjects.js';
import { Audience } from './audience.js';

const TYPE = 'people.time_off';
/** Maximum number of members who are told about a request for which there is no manager. */
const MOST_APPROVERS = 100;
/** What the employee is told, by verb of the event; managers are told what they need not come back to. */
const OUTCOMES: Record<string, { title: string; tellsManager: boolean }> = {
  approved: { title: 'Approved', tellsManager: false },
  rejected: { title: 'Rejected', tellsManager: false },
  cancelled: { title: 'Cancelled', tellsManager: true },
};

/**
 * Notifies those who may decide on requested time off, the employee if somebody else has requested it and of what becomes
 * of it, and the manager if it is cancelled.
 */
@Injectable()
export class TimeOffNotices implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly holders: PermissionHolders,
    private readonly notifier: Notifier,
    private readonly audience: Audience,
    private readonly subjects: RecordSubjects,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.automations.on({
      flow: 'home.notifications.of_time_off',
      event: `${TYPE}.created`,
      onBehalf: { of: 'readers' },
      handle: (event) => this.tellRequest(event),
    });
    for (const [verb, outcome] of Object.entries(OUTCOMES))
      this.automations.on({
        flow: `home.notifications.of_${verb}_time_off`,
        event: `${TYPE}.${verb}`,
        onBehalf: { of: 'readers' },
        handle: (event) => this.tellOutcome(event, outcome),
      });
  }

  /**
   * Tells the manager; without one, and if the manager has asked for the employee, the members with the permission. Tells
   * the employee too, unless they have asked themselves.
   */
  private tellRequest({ data, actor, subject: { id, url } }: AutomationEvent): Promise<void> {
    return this.database.transaction(async (transaction) => {
      const row = await this.subjects.ifVisible(TYPE, id);
      const absentee = await this.audience.absentee(data['employeeId'] as string);
      if (!row || !absentee) return; // deleted meanwhile
      const author = await this.audience.authorOf(actor);
      const { name, memberId, managerId } = absentee;
      const approvers =
        managerId === null || managerId === author.id
          ? await this.holders.find('time-off:approve', MOST_APPROVERS)
          : [managerId];
      const about = { subject: { object: TYPE, id }, url };
      const notice = {
        ...about,
        kind: 'approval_requested',
        title: `Approval needed: ${row.name}`,
        body: memberId === author.id ? `Requested by ${author.name}` : `For ${name}, requested by ${author.name}`,
      } as const;
      const others = approvers.filter((each) => each !== author.id && each !== memberId);
      await this.notifier.tell(transaction, notice, others);
      if (memberId === null || memberId === author.id) return;
      const own = { title: `Requested for you: ${row.name}`, body: `By ${author.name}` };
      await this.notifier.tell(transaction, { ...about, ...own, kind: 'approval_decided' }, [memberId]);
    });
  }

  private tellOutcome(
    { data, actor, subject: { id, url } }: AutomationEvent,
    outcome: (typeof OUTCOMES)[string],
  ): Promise<void> {
    return this.database.transaction(async (transaction) => {
      const row = await this.subjects.ifVisible(TYPE, id);
      const absentee = await this.audience.absentee(data['employeeId'] as string);
      if (!row || !absentee) return; // deleted meanwhile
      const author = await this.audience.authorOf(actor);
      const concerned = [absentee.memberId, ...(outcome.tellsManager ? [absentee.managerId] : [])];
      const readers = concerned.filter((each) => each !== null).filter((each) => each !== author.id);
      const title = `${outcome.title}: ${row.name}`;
      const subject = { object: TYPE, id };
      const notice = { kind: 'approval_decided', subject, url, title, body: `By ${author.name}` } as const;
      await this.notifier.tell(transaction, notice, readers);
    });
  }
}
