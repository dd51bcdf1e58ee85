import { Column, Entity } from 'typeorm';
import type { Guarantor } from '#libs/auth/guarantors.js';
import type { Permission } from '#libs/auth/permissions.js';
import type { RunFailure } from '#libs/automation/automations.js';
import { TenantRow } from '#libs/database/tenant-row.js';
import type { Transaction } from '#libs/database/transaction.js';
import type { Actor } from '#libs/tenancy/scope.js';
import type { OfOrderer, OfRequester, OfTenant } from '#libs/worker/on-behalf.js';

export const JOB_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;

/** An asynchronous job. */
@Entity({ schema: 'data', name: 'jobs' })
export class Job extends TenantRow {
  @Column('text')
  kind!: string;

  @Column('text')
  status!: (typeof JOB_STATUSES)[number];

  /** What it is about; null if it is not about one record. */
  @Column('jsonb', { nullable: true })
  subject!: { object: string; id: string } | null;

  @Column('bigint')
  done!: number;

  /** Null if it is not known. */
  @Column('bigint', { nullable: true })
  total!: number | null;

  @Column('text', { nullable: true })
  phase!: string | null;

  @Column('jsonb')
  input!: Record<string, unknown>;

  /** Where the next step continues. */
  @Column('jsonb')
  state!: Record<string, unknown>;

  @Column('jsonb', { nullable: true })
  result!: Record<string, unknown> | null;

  @Column('jsonb', { nullable: true })
  error!: { code: string; message: string } | null;

  /** The member who requested it, or the lineage of a key; null for the platform. */
  @Column('uuid', { name: 'requester_id', nullable: true })
  requesterId!: string | null;

  /** Whose rights each step needs, and the lineage of their credential: for a partner, the consent. Null for the platform. */
  @Column('jsonb', { nullable: true })
  guarantor!: (Guarantor & { lineageId: string }) | null;

  @Column('jsonb', { name: 'requested_by' })
  requestedBy!: Actor;

  @Column('timestamptz', { name: 'started_at', nullable: true })
  startedAt!: string | null;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt!: string | null;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: string;
}

/** What a step of a job has done. */
export interface JobStep {
  /** Whether the job is finished. */
  isDone: boolean;
  /** Whether it finished because somebody cancelled it. */
  isCancelled?: boolean;
  done: number;
  total?: number | null;
  phase?: string | null;
  state?: Record<string, unknown>;
  result?: Record<string, unknown> | null;
}

/** How a job ends without success. */
export type JobEnd = { status: 'cancelled' } | { status: 'failed'; failure: RunFailure };

/** A kind of job. */
export interface JobKind<Prepared = unknown> {
  /** `area.what_it_does`. */
  kind: string;
  /** Callers with this permission see the jobs of everybody. */
  permission: Permission;
  /** A requester is asked before each step with their present rights; if they may not any more, the job fails. */
  onBehalf: OfRequester<Job> | OfOrderer | OfTenant;
  /**
   * What the next step needs from outside: it renders, reaches storage or calls a service, with no transaction open.
   * May be repeated for the same step, so it leaves nothing behind that a repetition would not find or replace.
   * @param signal aborts when the job is cancelled or the process stops
   */
  work?(job: Job, signal: AbortSignal): Promise<Prepared>;
  /** Does the next part of the work inside the transaction that records its progress. */
  step(transaction: Transaction, job: Job, prepared: Prepared): Promise<JobStep>;
  /** Writes what it means that a locked job ends without success: it was cancelled, or all attempts failed. */
  ended(transaction: Transaction, job: Job, end: JobEnd): void | Promise<void>;
}
