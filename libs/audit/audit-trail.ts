import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { Clock } from '#libs/kernel/clock.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { auditStatement, type AuditFact } from './audit-entry.js';

/** Writes audit entries that do not belong to a change: refused attempts, and reads of sensitive data. */
@Injectable()
export class AuditTrail {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Committed before the response is sent. Requires a tenant in scope. */
  async record(fact: AuditFact): Promise<void> {
    const entry = auditStatement(currentScope(), fact, this.clock.now().toISOString());
    await this.database.aside([entry]);
  }
}
