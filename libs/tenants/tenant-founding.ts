import { Injectable } from '@nestjs/common';
import { auditStatement } from '#libs/audit/audit-entry.js';
import { credentialFact, type newCredential } from '#libs/auth/new-credential.js';
import type { Plan } from '#libs/auth/plans.js';
import type { RateLimits } from '#libs/auth/principal.js';
import { Database } from '#libs/database/database.js';
import { breaksConstraint } from '#libs/database/failures.js';
import { statement } from '#libs/database/statement.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Sealer } from '#libs/sealing/sealer.js';
import { currentScope, currentTenant, stamp, type TenantFacts } from '#libs/tenancy/scope.js';
import { beginnings, type FirstSettings, type FoundingPerson } from './beginnings.js';
import type { Tenant } from './tenant.js';
import { TenantRecords } from './tenant-records.js';

/** Properties of a new tenant. The database also checks the slug. */
export interface NewTenant {
  slug: string;
  name: string;
  plan: Plan;
  ownerEmail: string | null;
  /** By default the part of the address before the @, until the owner signs in. */
  ownerName?: string | null;
  /** The owner, if they create the tenant themselves. */
  founder?: FoundingPerson;
  /** ISO 4217 code. */
  currency: string;
  limits: RateLimits;
  general: FirstSettings;
}

/** The first API key of a new tenant, as created by {@link newCredential}. */
export type FirstKey = ReturnType<typeof newCredential> & { name: string };

/** Whether the creation of a tenant failed because the slug is taken. Nothing was created then. */
export function isSlugTaken(error: unknown): boolean {
  return breaksConstraint(error, 'tenants_slug_key');
}

const FIRST_EPOCH = '1';
const FOUND = `select directory.found_tenant($1, $2, $3, $4, $5, $6, $7, $8, $9)`;
const START_SEQUENCE = `insert into data.event_sequences (tenant_id, last) values ($1, 0)`;

/** The tenant facts for the scope in which a tenant is created. */
export function factsOfNew({ slug, plan, currency }: NewTenant): TenantFacts {
  return { id: uuidv7(), slug, plan, currency, epoch: FIRST_EPOCH };
}

/** Creates tenants, for both the operator CLI and the API. */
@Injectable()
export class TenantFounding {
  constructor(
    private readonly database: Database,
    private readonly sealer: Sealer,
    private readonly records: TenantRecords,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates the tenant in scope (see {@link factsOfNew}) in one transaction, with everything that its first request
   * needs: a data key, the event sequence, the default workspace and the membership of its owner. System roles are
   * shared by all tenants. Pipelines and number series are created on first use.
   */
  async found(wanted: NewTenant, key: FirstKey | null): Promise<Tenant> {
    const { slug, name, plan, ownerEmail, currency, limits } = wanted;
    const { id } = currentTenant();
    const at = stamp(this.clock);
    const { read: readsPerMinute, write: writesPerMinute } = limits;
    const common = { id, slug, name, plan, currency, readsPerMinute, writesPerMinute };
    const life = { suspendedAt: null, suspensionReason: null, closesAt: null, closedAt: null };
    const tenant: Tenant = { ...common, ...life, version: 1, createdAt: at, updatedAt: at };
    const values = [id, slug, name, plan, ownerEmail, currency, readsPerMinute, writesPerMinute, at];
    await this.database.transaction(async (transaction) => {
      this.records.add(transaction, {
        verb: 'created',
        before: null,
        after: tenant,
        save: statement(FOUND, values),
        riskLevel: 'medium',
      });
      transaction.write(this.sealer.firstKey(id));
      transaction.write(statement(START_SEQUENCE, [id]));
      const { statements, facts } = beginnings(id, wanted, at);
      if (key) {
        for (const each of key.statements) transaction.write(each);
        facts.unshift(credentialFact('created', 'api_key', { id: key.issued.id, name: key.name }, key.changes));
      }
      for (const each of statements) transaction.write(each);
      for (const each of facts) transaction.write(auditStatement(currentScope(), each, at));
    });
    return tenant;
  }
}
