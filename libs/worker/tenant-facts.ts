import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { Memory } from '#libs/database/memory.js';
import { statement } from '#libs/database/statement.js';
import { NIL_UUID } from '#libs/kernel/id.js';
import type { TenantFacts } from '#libs/tenancy/scope.js';

const FIND = `select id, slug, plan, currency, epoch::text as epoch from directory.tenants where id = any($1::uuid[])`;
const AFTER = `select id, slug, plan, currency, epoch::text as epoch from directory.tenants
  where id > $1 order by id limit $2`;
const MAX_AGE_MS = 60_000;
const PAGE = 500;

/** Facts about tenants, cached for a minute. Requires the `system` role. */
@Injectable()
export class TenantFactsReader {
  private readonly known = new Memory<TenantFacts>(10_000, MAX_AGE_MS);

  constructor(private readonly database: Database) {}

  /** The facts of one tenant; null if it does not exist. */
  async find(id: string): Promise<TenantFacts | null> {
    return (await this.findAll([id])).get(id) ?? null;
  }

  /** Like {@link find}, but reads the facts anew. */
  findAgain(id: string): Promise<TenantFacts | null> {
    this.known.forget(id);
    return this.find(id);
  }

  /** The facts of several tenants by id, in one statement. Tenants that do not exist are omitted. */
  async findAll(ids: readonly string[]): Promise<Map<string, TenantFacts>> {
    const found = new Map<string, TenantFacts>();
    const missing: string[] = [];
    for (const id of new Set(ids)) {
      const facts = this.known.get(id);
      if (facts) found.set(id, facts);
      else missing.push(id);
    }
    if (missing.length > 0) {
      const rows = await this.database.systemRead<TenantFacts>(statement(FIND, [missing]));
      for (const facts of rows) {
        this.known.keep(facts.id, facts);
        found.set(facts.id, facts);
      }
    }
    return found;
  }

  /** All tenants, read page by page. */
  async *all(): AsyncGenerator<TenantFacts> {
    for (let after = NIL_UUID; ;) {
      const page = await this.database.systemRead<TenantFacts>(statement(AFTER, [after, PAGE]));
      yield* page;
      if (page.length < PAGE) return;
      after = page.at(-1)!.id;
    }
  }
}
