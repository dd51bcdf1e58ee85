import type { TenantFacts } from '#libs/tenancy/scope.js';

/** The right to run one job. Lost once the job has another token. */
export interface Lease {
  tenantId: string;
  jobId: string;
  token: string;
}

/** A lease that a worker has taken from the queue, with the data to start the job. */
export interface HeldLease extends Lease {
  tenant: TenantFacts;
}

/** State of a job in the queue, for the holder of its lease. */
export interface QueueEntry {
  state: 'due' | 'running' | 'closing';
  /** Reason to cancel the job; null if there is none. */
  stopReason: string | null;
  /** Number of workers that died while running it. */
  takeovers: number;
  /** Place in a trace of the request that created the job; null without one. */
  traceparent: string | null;
}

/** Another worker has the job now, so nothing may be written. */
export class LeaseLost extends Error {}

/** Why a run is aborted. */
export type Interruption =
  /** The job was cancelled. */
  | 'cancelled'
  /** Another worker may be running it. */
  | 'lost'
  /** The process is stopping. */
  | 'shutdown'
  /** The time limit was exceeded. */
  | 'timeout';
