import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { currentScope, stamp } from '#libs/tenancy/scope.js';
import { auditStatement, type AuditFact } from './audit-entry.js';

/** Finds the target of an entry, and may write what belongs to it, in the transaction of the entry. */
export type FindTarget = (transaction: Transaction) => Promise<AuditFact['target']>;

/** Writes audit entries that do not belong to a change: refused attempts, and reads of sensitive data. */
@Injectable()
export class AuditTrail {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Committed before the response is sent. Requires a tenant in scope. */
  async record(fact: AuditFact, findTarget?: FindTarget): Promise<void> {
    const entry = (target: AuditFact['target']) =>
      auditStatement(currentScope(), { ...fact, target }, stamp(this.clock));
    if (!findTarget) return void (await this.database.aside([entry(fact.target)]));
    await this.database.transaction(async (transaction) => {
      transaction.write(entry(await findTarget(transaction)));
    });
  }
}
