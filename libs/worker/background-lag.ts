import { statement } from '#libs/database/statement.js';

/** How far the background work of all tenants is behind, as measured by a worker. */
export interface BackgroundLag {
  relaySeconds: number;
  sealingSeconds: number;
  mailSeconds: number;
  /** Seconds since the measurement. */
  ageSeconds: number;
}

/** Reads a {@link BackgroundLag}; no row before the first measurement. */
export const BACKGROUND_LAG = statement(`select relay_seconds as "relaySeconds", sealing_seconds as "sealingSeconds",
    mail_seconds as "mailSeconds", extract(epoch from now() - measured_at)::integer as "ageSeconds"
  from directory.background_lag()`);
