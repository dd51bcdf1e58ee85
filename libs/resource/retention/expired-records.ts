import { Injectable } from '@nestjs/common';
import { every, type Guard, guarded, not } from '#libs/access/guard.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { ResourceRegistry } from '../resource-registry.js';
import { type Expiry, expiryOf, type ExpiryRule, type Family } from './expiry.js';
import { readRelations, type Relation } from './relations.js';

const SAMPLES = 20;

/** What a run of a rule would do now. */
export interface ExpiryCount {
  wouldAffect: number;
  heldBack: number;
  inUse: number;
}

/** Records locked by a step of a run. */
export interface Locked {
  ids: string[];
  /** The last record that the step has examined; null if no due records are left after it. */
  lastId: string | null;
}

/** Finds expired records of any type. */
@Injectable()
export class ExpiredRecords {
  private known: Promise<Relation[]> | null = null;

  constructor(
    private readonly database: Database,
    private readonly registry: ResourceRegistry,
  ) {}

  /** The foreign keys between tables; read once per process. */
  relations(): Promise<Relation[]> {
    this.known ??= readRelations(this.database).catch((error: unknown) => {
      this.known = null;
      throw error;
    });
    return this.known;
  }

  /** A type with everything that is a part of its records. */
  async family(type: string): Promise<Family> {
    return this.familyOf(type, await this.relations());
  }

  async count(type: string, rule: ExpiryRule): Promise<ExpiryCount> {
    const { family, due, held, used } = await this.expiry(type, rule);
    const values: unknown[] = [currentTenant().id];
    const add = (value: unknown) => `$${values.push(value)}`;
    // `offset 0` keeps PostgreSQL from evaluating `held` once for each of the counts, which takes long under a hold.
    const text = `select count(*) filter (where not held and not used)::integer as "wouldAffect",
        count(*) filter (where held)::integer as "heldBack", count(*) filter (where used and not held)::integer as "inUse"
      from (select ${held(add)} as held, (${used(add)}) as used from ${family.table} t
        where t.tenant_id = $1 and ${due(add)} offset 0) expired`;
    const [row] = await this.database.read<ExpiryCount & object>(statement(text, values));
    return row!;
  }

  /** Ids of some records that a run would affect. */
  async sample(type: string, rule: ExpiryRule): Promise<string[]> {
    const rows = await this.database.read<{ id: string }>(
      await this.finding(type, rule, null, ` order by t.id limit ${SAMPLES}`),
    );
    return idsOf(rows);
  }

  /**
   * Locks the records that a rule affects among the next `limit` due ones, in the order of their ids.
   * {@link lockDeletions} must precede it.
   */
  async lockNext(
    transaction: Transaction,
    type: string,
    rule: ExpiryRule,
    { after, limit }: { after: string; limit: number },
  ): Promise<Locked> {
    // Holds and uses are only checked for these: checking all due records in every step would take hours.
    const { family, due } = await this.expiry(type, rule);
    const page = guarded(
      `select t.id from ${family.table} t where t.tenant_id = $1`,
      [currentTenant().id],
      every((add) => `t.id > ${add(after)}::uuid`, due),
      ` order by t.id limit ${limit}`,
    );
    const next = idsOf(await transaction.query<{ id: string }>(page));
    const among: Guard = (add) => `t.id = any(${add(next)}::uuid[])`;
    const locking = await this.finding(type, rule, among, ' order by t.id for update of t');
    return {
      ids: idsOf(await transaction.query<{ id: string }>(locking)),
      lastId: next.length === limit ? next.at(-1)! : null,
    };
  }

  private async finding(type: string, rule: ExpiryRule, more: Guard | null, rest: string) {
    const { family, due, held, used } = await this.expiry(type, rule);
    const where = every(
      more,
      due,
      not((add) => `(${held(add)})`),
      not((add) => `(${used(add)})`),
    );
    return guarded(`select t.id from ${family.table} t where t.tenant_id = $1`, [currentTenant().id], where, rest);
  }

  private async expiry(type: string, rule: ExpiryRule): Promise<Expiry & { family: Family }> {
    const relations = await this.relations();
    const family = this.familyOf(type, relations);
    return { family, ...expiryOf(this.database.source, family, rule, relations) };
  }

  private familyOf(type: string, relations: readonly Relation[]): Family {
    const { definition, service } = this.registry.ofType(type)!;
    const parts = this.registry.everything().flatMap(({ definition: part, service: { table } }) => {
      const { partOf } = part.data;
      if (partOf === null) return [];
      const { databaseName: column } = this.database.source
        .getMetadata(part.entity)
        .findColumnWithPropertyName(partOf)!; // a column of the type
      const isPart = relations.some(
        (each) => each.child === table && each.column === column && each.parent === service.table,
      );
      return isPart ? [{ column, family: this.familyOf(part.type, relations) }] : [];
    });
    return { definition, table: service.table, parts };
  }
}

function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id);
}
