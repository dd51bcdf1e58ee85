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
export interface ExpiryPreview {
  wouldAffect: number;
  /** Some of the records that it would affect. */
  sampleIds: string[];
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

  /**
   * What a run of the rule would do now. A run repeats its passes, so a record whose references all come from records
   * that go in the same run goes too.
   */
  async preview(type: string, rule: ExpiryRule): Promise<ExpiryPreview> {
    const { family, due, held, usedByOthers, references } = await this.expiry(type, rule);
    const values: unknown[] = [currentTenant().id];
    const add = (value: unknown) => `$${values.push(value)}`;
    // A record stays if one that stays refers to it, directly or through others. Records in a ring keep each other.
    const text = `with recursive
      expired as materialized (select t.id, ${held(add)} as held, (${usedByOthers(add)}) as used from ${family.table} t
        where t.tenant_id = $1 and ${due(add)}),
      uses as materialized (select u.owner, u.id from (${references}) u join expired e on e.id = u.id),
      reach as (select owner, id from uses union select r.owner, u.id from reach r join uses u on u.owner = r.id),
      stays as (select id from expired where held or used
        union select u.owner from uses u where not exists (select from expired e where e.id = u.owner)
        union select owner from reach where owner = id),
      kept as (select id from stays union select r.id from reach r join stays s on s.id = r.owner),
      judged as materialized (select e.id, e.held, k.id is not null as kept from expired e left join kept k on k.id = e.id)
      select count(*) filter (where not kept)::integer as "wouldAffect", count(*) filter (where held)::integer as "heldBack",
        count(*) filter (where kept and not held)::integer as "inUse",
        array(select id from judged where not kept order by id limit ${SAMPLES}) as "sampleIds" from judged`;
    const [row] = await this.database.read<ExpiryPreview & object>(statement(text, values));
    return row!;
  }

  /** What a finished run has left. */
  async left(type: string, rule: ExpiryRule): Promise<Pick<ExpiryPreview, 'heldBack' | 'inUse'>> {
    const { family, due, held, used } = await this.expiry(type, rule);
    const values: unknown[] = [currentTenant().id];
    const add = (value: unknown) => `$${values.push(value)}`;
    // `offset 0` keeps PostgreSQL from evaluating `held` once for each of the counts, which takes long under a hold.
    const text = `select count(*) filter (where held)::integer as "heldBack",
        count(*) filter (where used and not held)::integer as "inUse"
      from (select ${held(add)} as held, (${used(add)}) as used from ${family.table} t
        where t.tenant_id = $1 and ${due(add)} offset 0) expired`;
    const [row] = await this.database.read<Pick<ExpiryPreview, 'heldBack' | 'inUse'>>(statement(text, values));
    return row!;
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
    const { family, due, held, used } = await this.expiry(type, rule);
    const select = `select t.id from ${family.table} t where t.tenant_id = $1`;
    const tenant = [currentTenant().id];
    const page = guarded(
      select,
      tenant,
      every((add) => `t.id > ${add(after)}::uuid`, due),
      ` order by t.id limit ${limit}`,
    );
    const next = idsOf(await transaction.query<{ id: string }>(page));
    const among: Guard = (add) => `t.id = any(${add(next)}::uuid[])`;
    const free = every(
      among,
      due,
      not((add) => `(${held(add)})`),
      not((add) => `(${used(add)})`),
    );
    const locking = guarded(select, tenant, free, ' order by t.id for update of t');
    return {
      ids: idsOf(await transaction.query<{ id: string }>(locking)),
      lastId: next.length === limit ? next.at(-1)! : null,
    };
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
