import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { oneByOne } from '#libs/database/one-by-one.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { StoredResult } from './posture-run.js';
import type { Grade } from './posture-score.js';
import type { PostureChange } from './posture.parts.js';

/** Number of runs in the history. */
export const MAX_HISTORY = 400;

const LAST = `select results from data.posture_runs where tenant_id = $1 order by created_at desc, id desc limit 1`;
const LAST_RUN = `select created_at as at, score, results from data.posture_runs
  where tenant_id = $1 order by created_at desc, id desc limit 1`;
const HISTORY = `select id as "runId", created_at as at, score, grade, changes from data.posture_runs
  where tenant_id = $1 order by created_at desc, id desc limit ${MAX_HISTORY}`;
const FORGET = `delete from data.posture_runs where tenant_id = $1 and created_at < $2`;
const IS_MEMBER = `select from data.memberships
  where tenant_id = $1 and id = $2 and status = 'active' and deleted_at is null`;
/** A row for an open tenant without a run since an instant, except a new one. */
const IS_DUE = `select from directory.tenant_in_scope() t
  where t.created_at < $2 and t.suspended_at is null and t.closed_at is null
    and not exists (select from data.posture_runs r where r.tenant_id = $1 and r.created_at >= $2)`;

/** A run in the history. */
export interface PastRun {
  runId: string;
  at: string;
  score: number;
  grade: Grade;
  changes: PostureChange[];
}

export type Results = Readonly<Record<string, StoredResult>>;

/** Assessments of tenants. */
@Injectable()
export class PostureRepository {
  constructor(private readonly database: Database) {}

  /** Serializes assessments and changes of checks. */
  async oneByOne(transaction: Transaction): Promise<void> {
    await transaction.query(oneByOne('posture'));
  }

  /** Results of the last run by key of the check; empty before the first run. Joins the open transaction. */
  async lastResults(): Promise<Results> {
    const [row] = await this.database.read<{ results: Results }>(statement(LAST, [currentTenant().id]));
    return row?.results ?? {};
  }

  /** The last run; null before the first one. */
  async lastRun(): Promise<{ at: string; score: number; results: Results } | null> {
    const [row] = await this.database.read<{ at: string; score: number; results: Results }>(
      statement(LAST_RUN, [currentTenant().id]),
    );
    return row ?? null;
  }

  /** The last runs, newest first. */
  history(): Promise<PastRun[]> {
    return this.database.read<PastRun>(statement(HISTORY, [currentTenant().id]));
  }

  forgetBefore(at: string): Statement {
    return statement(FORGET, [currentTenant().id, at]);
  }

  async isActiveMember(membershipId: string): Promise<boolean> {
    const rows = await this.database.read(statement(IS_MEMBER, [currentTenant().id, membershipId]));
    return rows.length > 0;
  }

  /** Whether the tenant in scope is open, is older than an instant, and has had no run since. */
  async isDue(since: string): Promise<boolean> {
    return (await this.database.read(statement(IS_DUE, [currentTenant().id, since]))).length > 0;
  }
}
