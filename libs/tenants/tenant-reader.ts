import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Tenant } from './tenant.js';

const CURRENT = `select id, slug, name, plan, currency, reads_per_minute as "readsPerMinute",
  writes_per_minute as "writesPerMinute", version, created_at as "createdAt", updated_at as "updatedAt"
  from directory.tenant_in_scope()`;

/** Reads tenants from the directory. */
@Injectable()
export class TenantReader {
  constructor(private readonly database: Database) {}

  /** The tenant in scope. */
  async current(): Promise<Tenant> {
    const [row] = await this.database.read<Tenant>(statement(CURRENT));
    return row!;
  }
}
