import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { currentTenant, type TenantFacts } from '#libs/tenancy/scope.js';

const FIND = `select id, slug, plan, currency, epoch::text as epoch from directory.find_tenant($1)`;
const FIND_BY_ID = `select id, slug, plan, currency, epoch::text as epoch from directory.tenant_by_id($1)`;
const FOUNDED_BY = `select id from directory.tenant_founded_by($1, $2)`;
const CLAIM = `select directory.claim_founding($1, $2, $3) as granted`;
const FOUNDED_FOR = `select id from directory.tenant_founded_for($1, $2)`;

/** Tenants by slug, in the directory. */
@Injectable()
export class FoundingRepository {
  constructor(private readonly database: Database) {}

  /** The tenant with a slug; null when there is none. */
  async find(slug: string): Promise<TenantFacts | null> {
    const [row] = await this.database.systemRead<TenantFacts>(statement(FIND, [slug]));
    return row ?? null;
  }

  /** The tenant with an id; null when there is none. */
  async findById(id: string): Promise<TenantFacts | null> {
    const [row] = await this.database.systemRead<TenantFacts>(statement(FIND_BY_ID, [id]));
    return row ?? null;
  }

  /** As {@link find}, if the tenant was created for the owner with this address. */
  findFor(slug: string, ownerEmail: string): Promise<TenantFacts | null> {
    return this.findIf(slug, statement(FOUNDED_FOR, [slug, ownerEmail]));
  }

  /** As {@link find}, if the person who created the tenant is still a member. */
  findOwn(slug: string, userId: string): Promise<TenantFacts | null> {
    return this.findIf(slug, statement(FOUNDED_BY, [slug, userId]));
  }

  /** Records who created the current tenant; false if the person has reached the limit. */
  async claim(transaction: Transaction, userId: string, most: number): Promise<boolean> {
    const [row] = await transaction.query<{ granted: boolean }>(statement(CLAIM, [currentTenant().id, userId, most]));
    return row!.granted;
  }

  private async findIf(slug: string, condition: Statement): Promise<TenantFacts | null> {
    const [tenant, same] = await this.database.system([statement(FIND, [slug]), condition]);
    const [row] = tenant!.rows as unknown as TenantFacts[]; // as above
    return row && same!.rows.length > 0 ? row : null;
  }
}
