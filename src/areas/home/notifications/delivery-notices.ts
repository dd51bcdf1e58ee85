import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type AutomationEvent, Automations } from '#libs/automation/automations.js';
import { Database } from '#libs/database/database.js';
import { Notifier } from '#libs/notifications/notifier.js';
import { RecordSubjects } from '#libs/resource/access/record-subjects.js';
import { Audience } from './audience.js';

/** Titles by verb of the event. */
const TITLES = { escalated: 'Escalated', update_requested: 'Update requested' } as const;

/**
 * Notifies the owner of a project, and its watchers, that it was escalated or that an update is requested. An
 * escalation is also told to the owner's manager.
 */
@Injectable()
export class DeliveryNotices implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly notifier: Notifier,
    private readonly audience: Audience,
    private readonly subjects: RecordSubjects,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    for (const verb of Object.keys(TITLES) as (keyof typeof TITLES)[])
      this.automations.on({
        flow: `home.notifications.of_${verb}_project`,
        event: `work.project.${verb}`,
        onBehalf: { of: 'readers' },
        handle: (event) => this.tell(event, verb),
      });
  }

  private tell({ subject: { type, id }, actor, changes }: AutomationEvent, verb: keyof typeof TITLES): Promise<void> {
    return this.database.transaction(async (transaction) => {
      const project = await this.subjects.ifVisible(type, id);
      if (!project) return; // deleted meanwhile
      const { name, reference, ownerId, url } = project;
      const author = await this.audience.authorOf(actor);
      const manager = verb === 'escalated' && ownerId !== null ? await this.audience.managerOf(ownerId) : null;
      const responsible = [ownerId, manager].filter((each) => each !== null && each !== author.id) as string[];
      const { severity } = (changes ?? {}) as { severity?: { to: string } };
      const notice = {
        subject: { object: type, id },
        url,
        title: `${TITLES[verb]}: ${name} (${reference})`,
        body: severity ? `By ${author.name}. Severity: ${severity.to}` : `By ${author.name}`,
      };
      await this.notifier.tell(transaction, { ...notice, kind: 'assignment' }, responsible);
      const told = new Set([author.id, ...responsible]);
      const watchers = (await this.audience.watchersOf(id)).filter((each) => !told.has(each));
      await this.notifier.tell(transaction, { ...notice, kind: 'watch' }, watchers);
    });
  }
}
