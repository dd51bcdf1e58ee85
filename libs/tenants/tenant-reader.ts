import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Problem } from '#libs/kernel/problem.js';
import { statusOf, type Tenant } from './tenant.js';

const CURRENT = `select id, slug, name, plan, currency, reads_per_minute as "readsPerMinute",
  writes_per_minute as "writesPerMinute", suspended_at as "suspendedAt", suspension_reason as "suspensionReason",
  closes_at as "closesAt", closed_at as "closedAt", version, created_at as "createdAt", updated_at as "updatedAt"
  from directory.tenant_in_scope()`;

/** Reads tenants from the directory. */
@Injectable()
export class TenantReader {
  constructor(private readonly database: Database) {}

  /** The tenant in scope. */
  async current(): Promise<Tenant> {
    const [row] = await this.database.read<Tenant>({ ...statement(CURRENT), isShort: true });
    return row!;
  }

  /** @throws Problem 403 `tenant_suspended` when the tenant in scope is not served. */
  async requireServed(): Promise<void> {
    const status = statusOf(await this.current());
    if (status === 'suspended' || status === 'closed')
      throw new Problem('tenant_suspended', `The tenant is ${status}.`);
  }
}
