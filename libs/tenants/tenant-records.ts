import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { RiskLevel } from '#libs/audit/audit-entry.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { inlineSchemaOf } from '#libs/http/schema.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { Commits } from '#libs/resource/records/commits.js';
import { type Tenant, TENANT_PATH, TENANT_TYPE } from './tenant.js';
import { TenantView, viewOf } from './tenant.dto.js';

/** Example of a tenant for the API documentation. */
export const TENANT_EXAMPLE: TenantView = {
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b01',
  object: TENANT_TYPE,
  version: 1,
  slug: 'acme',
  name: 'Acme Inc.',
  plan: 'business',
  currency: 'USD',
  readsPerMinute: 6_000,
  writesPerMinute: 1_200,
  status: 'active',
  suspensionReason: null,
  closesAt: null,
  createdAt: '2026-11-21T09:15:02.114Z',
  updatedAt: '2026-11-21T09:15:02.114Z',
};

const EVENTS = {
  created: 'The tenant was created.',
  renamed: 'The tenant was renamed.',
  suspended: 'The operator suspended the tenant. Its requests are refused. Delivered after reactivation.',
  reactivated: 'The tenant was reactivated.',
  closing_started:
    'An owner scheduled the closure of the tenant. It works until `closesAt`, when all access ends permanently.',
  closing_cancelled: 'The scheduled closure was cancelled.',
} as const satisfies Record<string, string>;

/** A change of a tenant. */
export interface TenantChange {
  verb: keyof typeof EVENTS;
  /** Null for a new one. */
  before: Tenant | null;
  after: Tenant;
  save: Statement;
  riskLevel: RiskLevel;
  reason?: string | null;
}

/** Declares the tenant events. The CLI has no modules and calls this itself. */
export function declareTenantEvents(events: EventCatalogue): void {
  for (const [verb, description] of Object.entries(EVENTS))
    events.add({
      type: `${TENANT_TYPE}.${verb}`,
      version: 1,
      description,
      data: inlineSchemaOf(TenantView),
      example: { ...TENANT_EXAMPLE },
      subjectType: TENANT_TYPE,
      exampleUrl: TENANT_PATH,
    });
}

/** Writes each change of a tenant with its audit entry and event, neither of which contains the owner's address. */
@Injectable()
export class TenantRecords implements OnModuleInit {
  constructor(
    private readonly commits: Commits,
    private readonly events: EventCatalogue,
  ) {}

  onModuleInit(): void {
    declareTenantEvents(this.events);
  }

  /** Adds a change of the tenant in scope to a transaction. */
  add(transaction: Pick<Transaction, 'write'>, change: TenantChange): void {
    const { verb, before, after, save, riskLevel, reason = null } = change;
    const { id, version, name } = after;
    this.commits.add(transaction, {
      save,
      event: `${TENANT_TYPE}.${verb}`,
      subject: { type: TENANT_TYPE, id, reference: null, version, url: TENANT_PATH, name },
      before: before && viewOf(before),
      after: viewOf(after),
      at: after.updatedAt,
      riskLevel,
      reason,
    });
  }
}
