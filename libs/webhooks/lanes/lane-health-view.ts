import { DISABLE_MS, type LaneHealth } from './lane-health.js';

/** The health of an endpoint as the API shows it. Instants in RFC 3339 with ms, null if there is none. */
export interface HealthView {
  /** The first that applies: deliveries are paused, attempts fail, the endpoint is slow. */
  status: 'open' | 'failing' | 'slow' | 'healthy';
  failingSince: string | null;
  /** Since `failingSince`. */
  failedAttempts: number;
  /** When it will be disabled unless a delivery succeeds before; null if it is not failing, or not enabled. */
  willDisableAt: string | null;
  breaker: { state: 'closed' | 'open' | 'half_open'; openUntil: string | null };
  slow: boolean;
  lastSuccessAt: string | null;
  lastFailureAt: string | null;
}

/** The part of an endpoint's health that its tenant can see. */
export function healthView(health: LaneHealth, enabled: boolean, nowMs: number): HealthView {
  const { openUntilMs, openings, failingSinceMs, failedAttempts, slow, lastSuccessAtMs, lastFailureAtMs } = health;
  const isOpen = openUntilMs !== null && openUntilMs > nowMs;
  return {
    status: isOpen ? 'open' : failingSinceMs !== null ? 'failing' : slow ? 'slow' : 'healthy',
    failingSince: instant(failingSinceMs),
    failedAttempts,
    willDisableAt: enabled && failingSinceMs !== null ? instant(failingSinceMs + DISABLE_MS) : null,
    breaker: {
      state: isOpen ? 'open' : openings > 0 ? 'half_open' : 'closed',
      openUntil: isOpen ? instant(openUntilMs) : null,
    },
    slow,
    lastSuccessAt: instant(lastSuccessAtMs),
    lastFailureAt: instant(lastFailureAtMs),
  };
}

function instant(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
