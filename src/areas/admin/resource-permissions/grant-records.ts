import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { inlineSchemaOf } from '#libs/http/schema.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { Commits } from '#libs/resource/commits.js';
import { GRANT_TYPE, ResourceGrantView } from './resource-grant.dto.js';
import type { ResourceGrant } from './resource-grant.entity.js';

/** Changes of an exception are not counted. */
export const GRANT_VERSION = 1;

export const GRANT_EXAMPLE: ResourceGrantView = {
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b70',
  object: 'sales.deal',
  objectId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
  workspaceId: null,
  principal: { type: 'membership', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22' },
  level: 'edit',
  effect: 'allow',
  expiresAt: null,
  reason: 'Helps out with the renewal',
  grantedBy: { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Back office' },
  createdAt: '2026-11-21T09:15:02.114Z',
  updatedAt: '2026-11-21T09:15:02.114Z',
};

const EVENTS = {
  granted: 'An exception to roles was made or changed.',
  revoked: 'An exception to roles was taken back.',
};

/** An exception as the API shows it. */
export function present({
  tenantId: _,
  principalType: type,
  principalId: id,
  givenWith: _powers,
  ...row
}: ResourceGrant): ResourceGrantView {
  return { ...row, principal: { type, id } };
}

/** Where an exception can be read, among those of the same principal. */
function urlOf({ object, principal }: ResourceGrantView): string {
  return `/api/admin/resource-permissions?object=${object}&principalId=${principal.id}`;
}

/** Changes of exceptions as rows, each with its audit entry and event. */
@Injectable()
export class GrantRecords implements OnModuleInit {
  constructor(
    private readonly commits: Commits,
    private readonly events: EventCatalogue,
  ) {}

  onModuleInit(): void {
    const data = inlineSchemaOf(ResourceGrantView);
    for (const [verb, description] of Object.entries(EVENTS))
      this.events.add({
        type: `${GRANT_TYPE}.${verb}`,
        version: 1,
        description,
        data,
        example: { ...GRANT_EXAMPLE },
        subjectType: GRANT_TYPE,
        exampleUrl: urlOf(GRANT_EXAMPLE),
      });
  }

  /** Adds a change to a transaction; `before` is null for a new exception. */
  add(
    transaction: Transaction,
    event: keyof typeof EVENTS,
    change: { save: Statement; before: ResourceGrant | null; after: ResourceGrant; at: string },
  ): void {
    const { save, before, after, at } = change;
    const view = present(after);
    this.commits.add(transaction, {
      save,
      event: `${GRANT_TYPE}.${event}`,
      subject: {
        type: GRANT_TYPE,
        id: after.id,
        reference: null,
        version: GRANT_VERSION,
        url: urlOf(view),
        name: `${after.effect} ${after.level} on ${after.object}`,
      },
      about: after.objectId,
      before: before && present(before),
      after: view,
      at,
      riskLevel: 'medium',
      reason: after.reason,
    });
  }
}
