/**
 * On whose behalf delayed work acts, and what is asked again when it is done. Every flow, timer, kind of job, plan and
 * part of the worker declares it.
 *
 * Whatever it says: a flow, timer or job that is given up is a failed job, told to who requested it, the owner of the
 * record and those who manage the tenant; a part of the worker goes on with its next round, which the log shows.
 */
export type OnBehalf<W = never> = OfRequester<W> | OfOrderer | OfReaders | OfTenant | OfPlatform;

/** Who requested a job, with the credential that it keeps. `Jobs` asks before each step. */
export interface OfRequester<W> {
  of: 'requester';
  /** The permission that is asked again; null for a job that needs none. */
  asks: string | ((work: W) => string | null);
}

/** Whom the row names that is worked on. Its service asks, because more than one permission counts. */
export interface OfOrderer {
  of: 'orderer';
  /** The permission that is asked again, and without which it is refused. */
  asks: string;
  /** Who is told of a refusal besides: holders of a permission, or the member in a field of the row; null for nobody. */
  told: { holdersOf: string } | { memberIn: string } | null;
}

/** Each member who is told something: `Notifier` and the daily mails ask whether they may see the record now. */
export interface OfReaders {
  of: 'readers';
}

/** Nobody's rights count, because of what the tenant has decided. */
export interface OfTenant<B = 'date' | 'rule' | 'consequence'> {
  of: 'tenant';
  /**
   * A `date` that a record shows has come: whoever may set it has decided. A `rule` of the tenant, which only those with
   * the right to can set and end. The `consequence` of a change that was allowed: it sends, pays and grants nothing by
   * itself.
   */
  because: B;
}

/** Nobody's rights count, because the platform runs what was decided when it was `queued`, or keeps its own house. */
export interface OfPlatform {
  of: 'platform';
  because: 'queued' | 'upkeep';
}
