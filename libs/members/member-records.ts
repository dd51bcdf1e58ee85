import { isDeepStrictEqual } from 'node:util';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { inlineSchemaOf } from '#libs/http/schema.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { Commits } from '#libs/resource/records/commits.js';
import { type Member, MEMBERSHIP_TYPE } from './member.js';
import { factsOf, MembershipFacts } from './member.dto.js';

/** Path of the members in the API. */
export const MEMBERSHIPS_PATH = '/api/admin/memberships';

export const MEMBER_EXAMPLE: MembershipFacts = {
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22',
  object: MEMBERSHIP_TYPE,
  name: 'Ana Silva',
  title: 'Head of Sales',
  locale: null,
  timezone: null,
  workingHours: null,
  outOfOffice: null,
  status: 'active',
  source: 'invite',
  managedByScim: false,
  roleIds: ['00000000-0000-7000-8000-000000000004'],
  workspaceIds: ['019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b60'],
  version: 1,
  sessionEpoch: 1,
  joinedAt: '2026-11-21T09:15:02.114Z',
  createdAt: '2026-11-21T09:15:02.114Z',
  updatedAt: '2026-11-21T09:15:02.114Z',
};

const EVENTS: Record<string, string> = {
  created: 'A person became a member of the tenant or was invited.',
  updated: 'Fields, roles or workspaces of a member have changed.',
  suspended: 'A member was suspended. Their sessions are revoked, and their keys are rejected.',
  reactivated: 'A member is active again.',
  deactivated: 'A member was deactivated. Their sessions and keys are revoked.',
  deleted: 'A member was permanently removed.',
  sessions_reset: 'All sessions of a member were revoked.',
};
const VERBS = { invited: 'updated', active: 'reactivated', suspended: 'suspended', deactivated: 'deactivated' };

/** Declares the membership events. The CLI has no modules and calls this itself. */
export function declareMemberEvents(events: EventCatalogue): void {
  for (const [verb, description] of Object.entries(EVENTS))
    events.add({
      type: `${MEMBERSHIP_TYPE}.${verb}`,
      version: 1,
      description,
      data: inlineSchemaOf(MembershipFacts),
      example: { ...MEMBER_EXAMPLE },
      subjectType: MEMBERSHIP_TYPE,
      exampleUrl: `${MEMBERSHIPS_PATH}/${MEMBER_EXAMPLE.id}`,
    });
}

/** Writes each change of a membership with its audit entry and event, neither of which contains the e-mail address. */
@Injectable()
export class MemberRecords implements OnModuleInit {
  constructor(
    private readonly commits: Commits,
    private readonly events: EventCatalogue,
  ) {}

  onModuleInit(): void {
    declareMemberEvents(this.events);
  }

  created(transaction: Transaction, member: Member, save: Statement): void {
    this.record(transaction, 'created', null, member, save, null);
  }

  changed(transaction: Transaction, before: Member, after: Member, save: Statement, reason: string | null): void {
    const verb = before.status === after.status ? 'updated' : VERBS[after.status];
    this.record(transaction, verb, before, after, save, reason);
  }

  removed(transaction: Transaction, before: Member, after: Member, save: Statement, reason: string | null): void {
    this.record(transaction, 'deleted', before, after, save, reason);
  }

  sessionsReset(transaction: Transaction, before: Member, after: Member, save: Statement, reason: string | null): void {
    this.record(transaction, 'sessions_reset', before, after, save, reason);
  }

  private record(
    transaction: Transaction,
    verb: string,
    before: Member | null,
    after: Member,
    save: Statement,
    reason: string | null,
  ): void {
    const { id, version, name, updatedAt: at } = after;
    this.commits.add(transaction, {
      save,
      event: `${MEMBERSHIP_TYPE}.${verb}`,
      subject: { type: MEMBERSHIP_TYPE, id, reference: null, version, url: `${MEMBERSHIPS_PATH}/${id}`, name },
      before: before && factsOf(before),
      after: factsOf(after),
      at,
      riskLevel: verb === 'updated' || verb === 'created' ? 'medium' : 'high',
      concealed: concealedIn(before, after),
      reason,
    });
  }
}

/** Changed fields whose values are not published. */
function concealedIn(before: Member | null, after: Member): string[] {
  if (!before) return [];
  return (['email', 'notifications'] as const).filter((field) => !isDeepStrictEqual(before[field], after[field]));
}
