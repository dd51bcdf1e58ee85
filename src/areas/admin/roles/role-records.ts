import { Injectable, type OnModuleInit } from '@nestjs/common';
import { parseGrants } from '#libs/auth/roles.js';
import { isPrivileged } from '#libs/auth/permission-risk.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { inlineSchemaOf } from '#libs/http/schema.js';
import type { Role } from '#libs/members/role-book.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { Commits } from '#libs/resource/commits.js';
import { ROLE_TYPE, RoleView } from './role.dto.js';
import type { RoleRow } from './roles.repository.js';

const PATH = '/api/admin/roles';

export const ROLE_EXAMPLE: RoleView = {
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b70',
  object: ROLE_TYPE,
  key: 'sales',
  name: 'Sales',
  description: 'Sells',
  permissions: ['deals:read', 'deals:write@own'],
  isSystem: false,
  isPrivileged: false,
  memberCount: 4,
  version: 1,
  createdAt: '2026-11-21T09:15:02.114Z',
  updatedAt: '2026-11-21T09:15:02.114Z',
};

const EVENTS: Record<string, string> = {
  created: 'A role was made.',
  updated: 'A role changed, and with it what its members may do.',
  deleted: 'A role was deleted. Members who had it have its replacement, if there is one.',
};

/** Changes of roles, each with its audit entry and event. */
@Injectable()
export class RoleRecords implements OnModuleInit {
  constructor(
    private readonly commits: Commits,
    private readonly events: EventCatalogue,
  ) {}

  onModuleInit(): void {
    const data = inlineSchemaOf(RoleView);
    for (const [verb, description] of Object.entries(EVENTS))
      this.events.add({
        type: `${ROLE_TYPE}.${verb}`,
        version: 1,
        description,
        data,
        example: { ...ROLE_EXAMPLE },
        subjectType: ROLE_TYPE,
        exampleUrl: `${PATH}/${ROLE_EXAMPLE.id}`,
      });
  }

  record(
    transaction: Transaction,
    verb: 'created' | 'updated' | 'deleted',
    change: { before: RoleView | null; after: RoleView; save: Statement; at: string; reason?: string },
  ): void {
    const { before, after, save, at, reason = null } = change;
    const { id, name, version } = after;
    this.commits.add(transaction, {
      save,
      event: `${ROLE_TYPE}.${verb}`,
      subject: { type: ROLE_TYPE, id, reference: null, version, url: `${PATH}/${id}`, name },
      before,
      after,
      at,
      riskLevel: 'high',
      reason,
    });
  }
}

/** A role of the tenant's own as the API shows it. */
export function presentRole(row: RoleRow, memberCount: number): RoleView {
  return {
    ...row,
    object: ROLE_TYPE,
    isSystem: false,
    isPrivileged: isPrivileged(parseGrants(row.permissions)),
    memberCount,
  };
}

/** A role of the system as the API shows it; `intent` says what it is for. */
export function presentSystemRole({ id, key, name, grants, isPrivileged }: Role, intent: string, memberCount: number) {
  const permissions = grants.map(({ permission, reach }) =>
    reach === 'tenant' ? permission : `${permission}@${reach}`,
  );
  return {
    id,
    object: ROLE_TYPE,
    key,
    name,
    description: intent,
    permissions,
    isSystem: true,
    isPrivileged,
    memberCount,
    version: 1,
    createdAt: null,
    updatedAt: null,
  } satisfies RoleView;
}
