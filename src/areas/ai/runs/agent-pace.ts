import { Injectable } from '@nestjs/common';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { HOUR_MS } from '#libs/kernel/durations.js';
import { currentTenant } from '#libs/tenancy/scope.js';

const LOCK_CLASS = 7_463_555;
// Serializes starts, so that two jobs of one agent that start at the same time count each other.
const TAKE_TURNS = `select pg_advisory_xact_lock(${LOCK_CLASS}, hashtext($1))`;
const STARTED = `
  select count(*) as jobs, min(started_at) as first from data.ai_jobs
  where tenant_id = $1 and agent_id = $2 and started_at > $3`;

/** Enforces an agent's limit of jobs per hour. */
@Injectable()
export class AgentPace {
  constructor(private readonly clock: Clock) {}

  /**
   * When the agent may start another job; null if it may start now. Blocks its other jobs until the transaction ends.
   */
  async nextStart(transaction: Transaction, agentId: string, maxRunsPerHour: number): Promise<string | null> {
    const since = new Date(this.clock.nowMs() - HOUR_MS).toISOString();
    const [, [started]] = (await transaction.queryAll([
      statement(TAKE_TURNS, [agentId]),
      statement(STARTED, [currentTenant().id, agentId, since]),
    ])) as [unknown, { jobs: number; first: string | null }[]];
    if (!started?.first || started.jobs < maxRunsPerHour) return null;
    return new Date(Date.parse(started.first) + HOUR_MS).toISOString();
  }
}
