import type { TenantFacts } from '#libs/tenancy/scope.js';

/** The right to run one job; lost once the job has another token. */
export interface Lease {
  tenantId: string;
  jobId: string;
  token: string;
}

/** A lease that a worker has taken from the queue, with what it needs to begin. */
export interface HeldLease extends Lease {
  tenant: TenantFacts;
}

/** Where a job stands in the queue, as the holder of its lease sees it. */
export interface QueueEntry {
  state: 'due' | 'running' | 'closing';
  /** Why it is to be cancelled; null for not at all. */
  stopReason: string | null;
  /** Workers that were gone while they ran it. */
  takeovers: number;
}

/** Another worker has the job now: nothing may be written. */
export class LeaseLost extends Error {}

/** Why a run is aborted. */
export type Interruption =
  /** The job was cancelled. */
  | 'cancelled'
  /** Somebody else may run it by now. */
  | 'lost'
  /** The process stops. */
  | 'shutdown'
  /** It took longer than it may. */
  | 'timeout';
