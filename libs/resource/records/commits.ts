import { Injectable } from '@nestjs/common';
import type { RiskLevel } from '#libs/audit/audit-entry.js';
import { auditStatement } from '#libs/audit/audit-entry.js';
import { changesBetween } from '#libs/audit/changes.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { eventStatement, type Subject } from '#libs/outbox/event.js';
import { currentScope, type Warrant } from '#libs/tenancy/scope.js';

/** One change of one record. */
export interface Change {
  /** Writes the record. */
  save: Statement;
  /** Type of the event, which is also the action in the audit log. */
  event: string;
  subject: Subject & { name: string };
  /** Id of the parent record, if the changed object is not a record itself. */
  about?: string | null;
  /** The record before, as the API shows it; null for a new one. */
  before: object | null;
  /** The record after, as the API shows it. */
  after: object;
  at: string;
  riskLevel: RiskLevel;
  /** Changed fields whose values must not appear in the audit log. */
  concealed?: readonly string[];
  /** The caller's reason, if given. */
  reason?: string | null;
}

/** The only way to change a record: the row, its audit entry and its event are committed together. */
@Injectable()
export class Commits {
  constructor(private readonly events: EventCatalogue) {}

  /** Adds the change to a transaction; returns the id of its event. @throws Error for an event type that is not declared. */
  add(transaction: Pick<Transaction, 'write'>, change: Change): string {
    const scope = currentScope();
    const { version: schemaVersion } = this.events.newest(change.event);
    const { name, ...subject } = change.subject;
    const changes = change.before ? changesBetween(change.before, change.after) : null;
    transaction.write(change.save);
    transaction.write(
      auditStatement(
        scope,
        {
          action: change.event,
          target: { type: subject.type, id: subject.id, name },
          about: change.about ?? null,
          workspaceId: workspaceOf(change.after),
          outcome: 'success',
          riskLevel: change.riskLevel,
          changes: { ...(changes ?? changesBetween({}, change.after)), ...conceal(change.concealed ?? []) },
          reason: reasonOf(scope.warrant, change.reason ?? null),
        },
        change.at,
      ),
    );
    const id = uuidv7();
    const fact = { id, type: change.event, schemaVersion, subject, data: change.after, changes };
    transaction.write(eventStatement(scope, fact, change.at));
    return id;
  }
}

function workspaceOf(record: { workspaceId?: unknown }): string | null {
  return typeof record.workspaceId === 'string' ? record.workspaceId : null;
}

/** The caller's reason, plus the approval or job that allowed the change. */
function reasonOf(warrant: Warrant | null, reason: string | null): string | null {
  if (!warrant) return reason;
  return reason === null ? warrant.grounds : `${reason} (${warrant.grounds})`;
}

/** Shows which fields changed without their values. */
function conceal(fields: readonly string[]): Record<string, { from: string; to: string }> {
  return Object.fromEntries(fields.map((field) => [field, { from: '(concealed)', to: '(concealed)' }]));
}
