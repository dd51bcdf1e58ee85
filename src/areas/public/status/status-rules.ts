import type { BackgroundLag } from '#libs/worker/background-lag.js';

/** Parts of the platform that the public status shows. */
export const COMPONENTS = ['api', 'database', 'worker', 'webhooks', 'audit', 'mail'] as const;
export type Component = (typeof COMPONENTS)[number];
export const STATES = ['operational', 'degraded', 'outage'] as const;
export type State = (typeof STATES)[number];

/** What can be measured. */
export interface Signals {
  /** Time of a round trip to the database; null if it did not answer. */
  databaseMs: number | null;
  hasWorker: boolean;
  /** Null before the first measurement. */
  lags: BackgroundLag | null;
  sendsMail: boolean;
}

const SLOW_DATABASE_MS = 500;
/** Workers measure every five seconds. */
const STALE_SECONDS = 60;
/** Lag from which a component is late, and from which it does not work. */
const LATE_SECONDS = { webhooks: 30, audit: 30, mail: 120 };
const OUT_SECONDS = 900;

/** The status of each component. */
export function componentsOf({ databaseMs, hasWorker, lags, sendsMail }: Signals): Map<Component, State> {
  const database: State = databaseMs === null ? 'outage' : databaseMs > SLOW_DATABASE_MS ? 'degraded' : 'operational';
  if (database === 'outage') return new Map(shown(sendsMail).map((component) => [component, 'outage']));
  const isKnown = hasWorker && lags !== null && lags.ageSeconds <= STALE_SECONDS;
  const late = (component: keyof typeof LATE_SECONDS, seconds = 0): State => {
    if (seconds >= OUT_SECONDS) return 'outage';
    return !isKnown || seconds >= LATE_SECONDS[component] ? 'degraded' : 'operational';
  };
  const all: Record<Component, State> = {
    api: database,
    database,
    worker: !hasWorker ? 'outage' : isKnown ? 'operational' : 'degraded',
    webhooks: late('webhooks', lags?.relaySeconds),
    audit: late('audit', lags?.sealingSeconds),
    mail: late('mail', lags?.mailSeconds),
  };
  return new Map(shown(sendsMail).map((component) => [component, all[component]]));
}

/** The status of the platform. Without background work, requests are still served. */
export function overallOf(components: ReadonlyMap<Component, State>): State {
  if (components.get('api') === 'outage' || components.get('database') === 'outage') return 'outage';
  return [...components.values()].every((state) => state === 'operational') ? 'operational' : 'degraded';
}

function shown(sendsMail: boolean): Component[] {
  return COMPONENTS.filter((component) => component !== 'mail' || sendsMail);
}
