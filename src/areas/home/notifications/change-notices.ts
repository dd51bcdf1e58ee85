import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Notifier } from '#libs/notifications/notifier.js';
import type { EventEnvelope } from '#libs/outbox/event.js';
import { type RecordSubject, RecordSubjects } from '#libs/resource/access/record-subjects.js';
import { CHANGE_NOTICE, responsibleFor } from '#libs/resource/records/change-notices.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { Audience, type Author } from './audience.js';

const EVENT = `select envelope from data.events where tenant_id = $1 and id = $2`;
const MOST_FIELDS = 10;

/** A change of a record, as its event describes it. */
interface RecordChange {
  /** `Acme renewal (DEAL-000123)`. */
  label: string;
  subject: { object: string; id: string };
  url: string;
  verb: string;
  /** Names of changed fields. */
  fields: string[];
}

/** Notifies members of changes of records that they watch or have become responsible for. */
@Injectable()
export class ChangeNotices implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly notifier: Notifier,
    private readonly audience: Audience,
    private readonly subjects: RecordSubjects,
    private readonly registry: ResourceRegistry,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.automations.timer({ kind: CHANGE_NOTICE, onBehalf: { of: 'readers' }, fire: (eventId) => this.tell(eventId) });
  }

  private tell(eventId: string): Promise<void> {
    return this.database.transaction(async (transaction) => {
      const [row] = await transaction.query<{ envelope: string }>(statement(EVENT, [currentTenant().id, eventId]));
      if (!row) return; // older than the retention of events
      const event = JSON.parse(row.envelope) as EventEnvelope;
      const record = await this.subjects.ifVisible(event.subject.type, event.subject.id);
      if (!record) return; // deleted meanwhile
      const change = changeOf(event, record);
      const author = await this.audience.authorOf(event.actor);
      const { definition } = this.registry.ofType(event.subject.type)!; // it has the record
      const known = new Set([author.id, ...responsibleFor(definition, dataBefore(event))]);
      const assigned = [...new Set(responsibleFor(definition, event.data))].filter((id) => !known.has(id));
      await this.tellAssigned(transaction, change, author, assigned);
      const told = new Set([author.id, ...assigned]);
      const watchers = (await this.audience.watchersOf(event.subject.id)).filter((id) => !told.has(id));
      await this.tellWatchers(transaction, change, author, watchers);
    });
  }

  private tellAssigned(
    transaction: Transaction,
    { label, subject, url }: RecordChange,
    author: Author,
    members: readonly string[],
  ): Promise<void> {
    const notice = {
      kind: 'assignment',
      subject,
      url,
      title: `Assigned to you: ${label}`,
      body: `By ${author.name}`,
    } as const;
    return this.notifier.tell(transaction, notice, members);
  }

  private tellWatchers(
    transaction: Transaction,
    { label, subject, url, verb, fields }: RecordChange,
    author: Author,
    members: readonly string[],
  ): Promise<void> {
    const body = fields.length === 0 ? `By ${author.name}` : `By ${author.name}: ${fields.join(', ')}`;
    return this.notifier.tell(transaction, { kind: 'watch', subject, url, title: `${label}: ${verb}`, body }, members);
  }
}

/** Uses the present name, because the one in the event may have been erased since. */
function changeOf({ type, changes }: EventEnvelope, { object, id, name, reference, url }: RecordSubject): RecordChange {
  return {
    label: `${name} (${reference})`,
    subject: { object, id },
    url,
    verb: type.slice(type.lastIndexOf('.') + 1).replaceAll('_', ' '),
    fields: Object.keys(changes ?? {}).slice(0, MOST_FIELDS),
  };
}

/** The record before the change. */
function dataBefore({ data, changes }: EventEnvelope): object {
  if (changes === null) return {}; // it was created
  const former = Object.entries(changes as Record<string, { from: unknown }>).map(([field, { from }]) => [field, from]);
  return { ...data, ...(Object.fromEntries(former) as object) };
}
