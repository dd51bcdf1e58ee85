import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type AutomationEvent, Automations } from '#libs/automation/automations.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { JOB_PATH } from '#libs/jobs/ended-job.js';
import type { Job } from '#libs/jobs/job.js';
import { Jobs } from '#libs/jobs/jobs.js';
import { PermissionHolders } from '#libs/members/permission-holders.js';
import { Notifier } from '#libs/notifications/notifier.js';
import { RecordSubjects, type RecordSubject } from '#libs/resource/access/record-subjects.js';
import { failureIn } from '#libs/steps/run-next-step.js';
import type { Step } from '#libs/steps/step.js';
import type { ActorStamp } from '#libs/resource/types/record.entity.js';
import { APPLIED } from '#src/areas/hiring/hiring.area.js';
import { Audience } from './audience.js';

/** Maximum number of members who are told because of a permission. */
const MOST_READERS = 20;

/** The part of a mapping's events that notifications need. */
interface MappingData {
  candidateId: string;
  steps: Step[];
  appliedBy: ActorStamp | null;
}

/** Tells whom it concerns of what the platform has given up, and of talent mappings that have failed. */
@Injectable()
export class FailureNotices implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly jobs: Jobs,
    private readonly subjects: RecordSubjects,
    private readonly holders: PermissionHolders,
    private readonly notifier: Notifier,
    private readonly audience: Audience,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.jobs.toldBy((transaction, job) => this.tellOfJob(transaction, job));
    this.automations.on({
      flow: 'home.notifications.of_mapping_failed',
      event: 'talent.mapping.failed',
      onBehalf: { of: 'readers' },
      handle: (event) => this.tellOfMapping(event),
    });
  }

  /** Who requested a job or owns the record is told the reason; those who manage the tenant are told where it is. */
  private async tellOfJob(transaction: Transaction, job: Job): Promise<void> {
    const { id, kind, error, requesterId, subject } = job;
    const managers = await this.holders.find('settings:manage', MOST_READERS);
    const url = `${JOB_PATH}/${id}`;
    const failed = { kind: 'assignment', url, subject: null, title: `Given up: ${kind}` } as const;
    if (requesterId !== null)
      await this.notifier.tell(transaction, { ...failed, body: `${error!.message} (${error!.code})` }, [requesterId]);
    const record = subject && (await this.subjects.ifVisible(subject.object, subject.id));
    if (record?.ownerId) await this.tellOwner(transaction, record, job);
    const told = new Set([requesterId, record?.ownerId]);
    const body = `The last attempt failed: ${error!.code}. The job has the details.`;
    const others = managers.filter((each) => !told.has(each));
    await this.notifier.tell(transaction, { ...failed, body }, others);
  }

  private tellOwner(transaction: Transaction, { object, id, url, name, ownerId }: RecordSubject, job: Job) {
    const notice = {
      kind: 'assignment',
      subject: { object, id },
      url,
      title: `Given up about ${name}: ${job.kind}`,
      body: `${job.error!.message} (${job.error!.code}) Do by hand what is missing, and tell those who manage the tenant.`,
    } as const;
    return this.notifier.tell(transaction, notice, [ownerId!]);
  }

  /** Tells who applied it, and those who may retry it, if they may see the candidate. */
  private tellOfMapping({ data }: AutomationEvent): Promise<void> {
    const { candidateId, steps, appliedBy } = data as unknown as MappingData; // its schema is that of the mapping
    return this.database.transaction(async (transaction) => {
      const author = appliedBy && (await this.audience.authorOf(appliedBy)).id;
      const readers = await this.holders.find(APPLIED.told.holdersOf, MOST_READERS);
      const notice = {
        kind: 'assignment',
        subject: { object: 'talent.candidate', id: candidateId },
        url: `/api/admin/talent-mapping?candidateId=${candidateId}`,
        title: 'Talent mapping failed',
        body: failureIn(steps),
      } as const;
      await this.notifier.tell(transaction, notice, [...new Set(author ? [author, ...readers] : readers)]);
    });
  }
}
