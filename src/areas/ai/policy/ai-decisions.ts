import { Injectable } from '@nestjs/common';
import { digestOf } from '#libs/kernel/canonical.js';
import type { Decision, PolicyFacts } from '#libs/ai/policy.js';
import { auditStatement } from '#libs/audit/audit-entry.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';

const INSERT = `insert into data.ai_decisions (tenant_id, id, job_id, outcome, rules, policy_version, kind, facts_digest,
    decided_at, decided_for) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;

/** The policy's decision about a job. */
export interface DecidedJob {
  /** Null if denied, because no job is created. */
  jobId: string | null;
  decision: Pick<Decision, 'outcome' | 'rules'>;
  policyVersion: number;
  facts: PolicyFacts;
}

/** Stores every decision of the policy, including denials: the version and the rules, never the content. */
@Injectable()
export class AiDecisions {
  constructor(private readonly clock: Clock) {}

  /** Adds a decision to a transaction, and to the audit log if it is a denial. Returns its id. */
  record(transaction: Pick<Transaction, 'write'>, { jobId, decision, policyVersion, facts }: DecidedJob): string {
    const scope = currentScope();
    const id = uuidv7();
    const at = this.clock.now().toISOString();
    const { outcome, rules } = decision;
    const digest = digestOf(facts);
    const values = [jobId, outcome, [...rules], policyVersion, facts.kind, digest, at, JSON.stringify(scope.actor)];
    transaction.write(statement(INSERT, [currentTenant().id, id, ...values]));
    if (outcome === 'deny')
      transaction.write(
        auditStatement(
          scope,
          {
            action: 'intelligence.job.denied',
            target: { type: 'intelligence.job', id: null, name: facts.kind },
            outcome: 'denied',
            riskLevel: 'medium',
            reason: `${rules.join(', ')} (policy version ${policyVersion})`,
          },
          at,
        ),
      );
    return id;
  }
}

/** The 403 for a job that the policy denies. */
export function denied({ rules }: Pick<Decision, 'rules'>): Problem {
  return new Problem('ai_policy_denied', `The AI policy denies this: ${rules.join(', ')}.`, {
    extensions: { rules: [...rules] },
  });
}
