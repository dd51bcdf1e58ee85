import type { OwnDatabase, Site } from './site.mjs';

/** Event counts for any fault; see load.mjs. */
interface Reckoning {
  events: number;
  lost: number;
  torn: number;
  duplicates: number;
  unknown: number;
  misnumbered: number;
}

/** Results of another tenant meanwhile; see overload.mjs. */
interface Beside {
  served: number;
  refused: number;
  failed: number;
  p95Ms: number;
  mostMb: number;
}

interface Slow extends Beside {
  clients: number;
  left: number;
  longestMs: number;
}

interface Flood extends Beside {
  atOnce: number;
  answered: number;
  done: number;
  turnedAway: number;
  otherwise: number;
  cut: number;
  doneRate: number;
}

interface Scenario<Sizes, Figures, Database = void> {
  run(site: Site, sizes: Sizes, database: Database): Promise<Figures>;
}

export const SCENARIOS: {
  worker: Scenario<
    { kills: number; steadyMs: number; lifeMs: [number, number]; rate: number; tenants: number; answerMs: number },
    Reckoning
  >;
  api: Scenario<
    { writes: ('create' | 'update' | 'transition')[]; everyStatement: boolean },
    { kills: number; none: number; all: number; claimed: number; torn: string[]; repeated: string[] }
  >;
  redis: Scenario<
    {
      wipes: number;
      downMs: number;
      rate: number;
      tenants: number;
      pauseMs: number;
      answerMs: number;
      concurrency: number;
    },
    Reckoning & { failed: number; survived: boolean }
  > & { isPossible(): boolean };
  postgres: Scenario<
    { modes: readonly ('fast' | 'immediate')[]; downMs: number; rate: number; tenants: number; pauseMs: number },
    Reckoning & { recovered: boolean; survived: boolean },
    OwnDatabase
  >;
  disk: Scenario<
    { creates: number },
    {
      refused: number;
      otherwise: number;
      reads: number;
      during: string;
      recovered: boolean;
      readyAgain: boolean;
      lost: number;
      lines: number;
      others: number;
      survived: boolean;
    }
  > & { isPossible(): boolean };
  timeouts: Scenario<
    { rate: number; seconds: number; tenants: number; timeoutMs: number },
    Reckoning & { attempts: number; timedOut: number }
  >;
  sigterm: Scenario<
    { stops: number; rate: number; tenants: number },
    Reckoning & {
      slowestMs: number;
      failures: number;
      leases: number;
      cut: number;
      requests: number;
      left: number;
      halves: number;
      unrecorded: number;
      repeated: number;
      abandoned: number;
    }
  >;
  revocations: Scenario<
    { processes: number; trials: number },
    { trials: number; withoutRedis: number; early: number; late: number; allowed: number }
  > & { isPossible(): boolean };
  commits: Scenario<
    { writers: number; rounds: number; workers: number },
    { events: number; undone: number; inOrderOfCommit: boolean; skipped: number; invented: number; gaps: number }
  >;
  sealing: Scenario<
    { kills: number; rate: number; tenants: number; steadyMs: number },
    { kills: number; entries: number; rate: number; broken: string[]; p99Ms: number; checkpoints: number }
  >;
  streaming: Scenario<
    { kills: number; rate: number; tenants: number; answerMs: number },
    { kills: number; rate: number; entries: number; lost: number; duplicates: number; foreign: number; early: number }
  >;
  retention: Scenario<
    { records: number; held: number; kills: number },
    { done: number[]; status: string; affected: number; expected: number; unequal: string[] }
  >;
  handovers: Scenario<
    { kills: number; handoffs: number; mappings: number },
    { kills: number; cut: number; plans: number; finished: boolean; halfDone: number; unequal: string[] }
  >;
  ai: Scenario<
    {
      jobs: number;
      clients: number;
      apis: number;
      workers: number;
      kills: number;
      lifeMs: [number, number];
      budgetShare: number;
      answerMs: number;
    },
    {
      jobs: number;
      refused: number;
      failures: string[];
      drained: boolean;
      deadlocks: number;
      overshoot: number;
      held: number;
      unequal: number;
      spent: number;
      booked: number;
      lost: number;
      unfinished: number;
      overCap: number;
      succeeded: number;
      inDoubt: number;
      doubtfulKeyed: number;
      repeated: number;
      paidTwice: number;
      unrecorded: number;
      errors: string[];
    }
  >;
  accounting: Scenario<
    { requests: number; kills: number; clients: number; tenants: number },
    {
      kills: number;
      sent: number;
      answered: number;
      stored: number;
      above: number;
      longestLossMs: number;
      lostAtStop: number;
    }
  >;
  overload: Scenario<
    { idle: number; slow: number; burst: number; seconds: number; places: number; timeoutSeconds: number },
    {
      calm: Beside;
      idle: Beside & { open: number; cutEarly: number; asked: number };
      headers: Slow;
      bodies: Slow;
      readers: Slow;
      flood: Flood;
      burst: Flood;
      after: Beside;
      survived: boolean;
    }
  >;
};
