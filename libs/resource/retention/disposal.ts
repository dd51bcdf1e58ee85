import { Injectable, Logger } from '@nestjs/common';
import { isStaleFacts, isTransient, isUnavailable, isUnreachable } from '#libs/database/failures.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { eventsStatement } from '#libs/outbox/event.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { CHECK_NOW } from '../records/rehearsal.js';
import { eraseTraces } from '../records/traces.js';
import { ResourceRegistry } from '../resource-registry.js';
import { pathOf } from '../types/definition.js';
import { ExpiredRecords } from './expired-records.js';
import { type Disposition, erasureOf } from './expiry.js';
import { fillersOf } from './fillers.js';
import { IS_FREE_JOB } from './holds.js';
import { purge, type Purged } from './purge.js';
import { PURGED, RECORD_TYPE } from './tombstone.js';

/** Why records are disposed of. */
export interface DisposalOrder {
  disposition: Disposition;
  policyId: string | null;
  runId: string;
  at: string;
}

/** The result for some records. */
export interface Disposed {
  /** Processed records by type, including parts. */
  records: Purged[];
  /** Records that could not be processed. */
  failed: string[];
}

const BURY = `
  insert into data.retention_tombstones (tenant_id, object, record_id, disposition, policy_id, run_id, at)
  select $1, r.object, r.id, $4, $5, $6, $7 from unnest($2::text[], $3::uuid[]) as r(object, id)
  on conflict (tenant_id, record_id, disposition) do update
    set policy_id = excluded.policy_id, run_id = excluded.run_id, at = excluded.at`;
const DEFER = statement('set constraints all deferred');
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const NAMES_PURGED = (text: string) => `exists (
  select from regexp_matches(${text}, '${UUID}', 'g') m
    join data.retention_tombstones b on b.tenant_id = $1 and b.run_id = $2 and b.record_id = m[1]::uuid)`;
const FORGET_ANSWERS = `update data.idempotency_keys k set body = null, terms = null
  where k.tenant_id = $1 and k.completed_at is not null and ${NAMES_PURGED('k.body')}`;
const DERIVED = `
  select j.id from data.ai_jobs j where j.tenant_id = $1 and (j.output is not null or j.proposed_actions <> '[]')
    and ${IS_FREE_JOB} and ${NAMES_PURGED('concat(j.output, j.proposed_actions)')}
  union
  select a.id from data.home_approvals a join data.retention_tombstones b
    on b.tenant_id = $1 and b.run_id = $2 and b.record_id = a.target_id where a.tenant_id = $1`;

/** Deletes, anonymises or archives expired records that the transaction has locked. */
@Injectable()
export class Disposal {
  private readonly logger = new Logger('retention');

  constructor(
    private readonly registry: ResourceRegistry,
    private readonly expired: ExpiredRecords,
  ) {}

  /** Processes all records at once, or one by one if that fails. */
  async dispose(
    transaction: Transaction,
    type: string,
    ids: readonly string[],
    order: DisposalOrder,
  ): Promise<Disposed> {
    const whole = await this.attempt(transaction, type, ids, order);
    if (whole || ids.length === 1) return { records: whole ?? [], failed: whole ? [] : [...ids] };
    const result: Disposed = { records: [], failed: [] };
    for (const id of ids) {
      const one = await this.attempt(transaction, type, [id], order);
      if (one) result.records.push(...one);
      else result.failed.push(id);
    }
    return result;
  }

  /** Erases stored responses and derived texts that name records of a finished run. */
  async forgetDerived(transaction: Transaction, { runId, at }: DisposalOrder): Promise<void> {
    const values = [currentTenant().id, runId];
    transaction.write(statement(FORGET_ANSWERS, values));
    const derived = await transaction.query<{ id: string }>(statement(DERIVED, values));
    if (derived.length > 0)
      await eraseTraces(
        transaction,
        derived.map(({ id }) => id),
        at,
      );
  }

  /** Null if it failed, without any effect. */
  private async attempt(
    transaction: Transaction,
    type: string,
    ids: readonly string[],
    order: DisposalOrder,
  ): Promise<Purged[] | null> {
    try {
      return await transaction.savepoint(async () => {
        transaction.write(DEFER);
        const records = await this.process(transaction, type, ids, order);
        if (order.disposition !== 'archive') this.bury(transaction, records, order);
        transaction.write(CHECK_NOW);
        return records;
      });
    } catch (error) {
      if (isRetryable(error)) throw error;
      if (ids.length === 1) this.logger.warn(`The ${type} ${ids[0]} cannot be disposed of: ${String(error)}`);
      return null;
    }
  }

  private async process(
    transaction: Transaction,
    type: string,
    ids: readonly string[],
    { disposition, at }: DisposalOrder,
  ): Promise<Purged[]> {
    if (disposition === 'delete')
      return purge(transaction, await this.expired.family(type), ids, {
        relations: await this.expired.relations(),
        at,
      });
    const { definition, service } = this.registry.ofType(type)!;
    if (disposition === 'archive') for (const id of ids) await service.follow('archive', id);
    else {
      const erasure = erasureOf(definition);
      if (!erasure) await eraseTraces(transaction, ids, at);
      for (const id of ids)
        if (erasure) await service.follow(erasure.action, id);
        else await service.erase(transaction, id, fillersOf(definition));
    }
    return ids.map((id) => ({ type, id }));
  }

  private bury(transaction: Transaction, records: readonly Purged[], order: DisposalOrder): void {
    const { disposition, policyId, runId, at } = order;
    const [types, ids] = [records.map(({ type }) => type), records.map(({ id }) => id)];
    transaction.write(statement(BURY, [currentTenant().id, types, ids, disposition, policyId, runId, at]));
    if (disposition !== 'delete') return;
    const facts = records.map(({ type, id }) => ({
      subject: { type: RECORD_TYPE, id, reference: null, version: 1, url: this.urlOf(type, id) },
      data: { object: type, id, policyId, runId, at },
    }));
    transaction.write(eventsStatement(currentScope(), { type: PURGED, schemaVersion: 1 }, facts, at));
  }

  private urlOf(type: string, id: string): string {
    return `${pathOf(this.registry.ofType(type)!.definition)}/${id}`;
  }
}

/** Whether the error says nothing about the record: the whole step has to be repeated. */
function isRetryable(error: unknown): boolean {
  return isTransient(error) || isStaleFacts(error) || isUnreachable(error) || isUnavailable(error);
}
