import { createHash } from 'node:crypto';
import { DAY_MS } from '#libs/kernel/durations.js';

export const SLO_TYPE = 'observability.slo';
export const SLO_PATH = '/api/admin/slo';
export const INDICATOR_KINDS = ['availability', 'latency', 'webhook_delivery', 'ai_success'] as const;
export type IndicatorKind = (typeof INDICATOR_KINDS)[number];
export const WINDOW_DAYS = [7, 28, 30, 90] as const;
/** The longest window. */
export const MOST_DAYS = 90;
/** Time in which a webhook is to be delivered, by default. */
export const DELIVERY_MS = 300_000;

/** What an objective measures. */
export interface Indicator {
  kind: IndicatorKind;
  /** Only routes that match, with `*` for any text; null for all. */
  routePattern: string | null;
  /** Longest latency of a good request, or of a delivery; null where it does not apply. */
  thresholdMs: number | null;
}

/** The terms of an objective, which callers set. */
export interface SloTerms {
  key: string;
  name: string;
  indicator: Indicator;
  objectivePercent: number;
  windowDays: number;
  enabled: boolean;
  ownerId: string | null;
  alerting: boolean;
}

/** A service-level objective of a tenant. */
export interface Slo extends SloTerms {
  id: string;
  version: number;
  archivedAt: string | null;
  createdAt: string;
  updatedAt: string;
}

const common = { windowDays: 30, enabled: true, ownerId: null, alerting: true };
const ofAll = { routePattern: null, thresholdMs: null };
const DEFAULTS: readonly SloTerms[] = [
  {
    key: 'api_availability',
    name: 'API availability',
    indicator: { ...ofAll, kind: 'availability' },
    objectivePercent: 99.9,
    ...common,
  },
  {
    key: 'api_latency',
    name: 'API latency',
    indicator: { ...ofAll, kind: 'latency', thresholdMs: 500 },
    objectivePercent: 95,
    ...common,
  },
  {
    key: 'webhook_delivery',
    name: 'Webhook delivery',
    indicator: { ...ofAll, kind: 'webhook_delivery', thresholdMs: DELIVERY_MS },
    objectivePercent: 99,
    ...common,
  },
];

/**
 * Select of the objectives that the tenant `$1` has from the beginning: place, id, key and definition. They have no row
 * until somebody changes them. The id is a UUIDv8 made of the tenant and the key.
 */
export const DEFAULT_SLOS = `
  select place, overlay(overlay(left(h, 32) placing '8' from 13) placing '8' from 17)::uuid as id, d ->> 'key' as key,
    d - 'key' as definition
  from jsonb_array_elements('${JSON.stringify(DEFAULTS)}') with ordinality e (d, place)
    cross join lateral encode(sha256(convert_to($1::uuid::text || '|' || (d ->> 'key'), 'UTF8')), 'hex') h`;

/** What the service-level report counts besides requests, as objectives that nobody can change. */
export function serviceSlos(tenantId: string): Record<'webhooks' | 'ai', Slo> {
  const never = { version: 1, archivedAt: null, createdAt: '', updatedAt: '' };
  const of = (key: string, indicator: Indicator): Slo => {
    const terms = {
      ...common,
      key,
      name: key,
      indicator,
      windowDays: MOST_DAYS,
      objectivePercent: 99,
      alerting: false,
    };
    return { ...terms, ...never, id: serviceId(tenantId, key) };
  };
  return {
    webhooks: of('webhooks', { ...ofAll, kind: 'webhook_delivery', thresholdMs: DELIVERY_MS }),
    ai: of('ai', { ...ofAll, kind: 'ai_success' }),
  };
}

/** A UUIDv8 made of the tenant and the key, which no objective of {@link DEFAULT_SLOS} has. */
function serviceId(tenantId: string, key: string): string {
  const hex = createHash('sha256').update(`${tenantId}|service ${key}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Length of the window of an objective, ms. */
export function windowMs({ windowDays }: Pick<Slo, 'windowDays'>): number {
  return windowDays * DAY_MS;
}

/** Whether its figures are kept up to date. */
export function isCounted({ enabled, archivedAt }: Slo): boolean {
  return enabled && archivedAt === null;
}
