import type { BackgroundLag } from '#libs/worker/background-lag.js';
import { componentsOf, overallOf, type Signals } from './status-rules.js';

const FRESH: BackgroundLag = { relaySeconds: 0, sealingSeconds: 1, mailSeconds: 2, ageSeconds: 3 };
const FINE: Signals = { databaseMs: 2, hasWorker: true, lags: FRESH, sendsMail: true };
const UP = {
  ...{ api: 'operational', database: 'operational', worker: 'operational' },
  ...{ webhooks: 'operational', audit: 'operational', mail: 'operational' },
};

it.each<[string, Partial<Signals>, object, string]>([
  ['everything works', {}, {}, 'operational'],
  ['the database is slow', { databaseMs: 900 }, { api: 'degraded', database: 'degraded' }, 'degraded'],
  [
    'the database is out',
    { databaseMs: null, hasWorker: false, lags: null },
    { api: 'outage', database: 'outage', worker: 'outage', webhooks: 'outage', audit: 'outage', mail: 'outage' },
    'outage',
  ],
  [
    'no worker is running',
    { hasWorker: false },
    { worker: 'outage', webhooks: 'degraded', audit: 'degraded', mail: 'degraded' },
    'degraded',
  ],
  [
    'no worker measures',
    { lags: { ...FRESH, ageSeconds: 90 } },
    { worker: 'degraded', webhooks: 'degraded', audit: 'degraded', mail: 'degraded' },
    'degraded',
  ],
  ['events wait', { lags: { ...FRESH, relaySeconds: 45 } }, { webhooks: 'degraded' }, 'degraded'],
  ['nothing is sealed', { lags: { ...FRESH, sealingSeconds: 1_000 } }, { audit: 'outage' }, 'degraded'],
  ['mails wait', { lags: { ...FRESH, mailSeconds: 150 } }, { mail: 'degraded' }, 'degraded'],
])('if %s', (_, signals, expected, overall) => {
  const components = componentsOf({ ...FINE, ...signals });
  expect(Object.fromEntries(components)).toEqual({ ...UP, ...expected });
  expect(overallOf(components)).toBe(overall);
});

it('shows mail only if the installation sends mail', () => {
  expect(componentsOf({ ...FINE, sendsMail: false }).has('mail')).toBe(false);
});
