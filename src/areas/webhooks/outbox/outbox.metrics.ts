import { reachOf } from '#libs/auth/current-principal.js';
import { count, type Metric, share, TOKENS } from '#libs/measures/metric.js';
import type { MetricSource } from '#libs/measures/metric-source.js';
import { DELIVERY_ABOUT, disclosing } from '#libs/resource/access/disclosure.js';
import type { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { DELIVERY_TYPE } from '#libs/webhooks/delivery-status.js';
import { DeliveryLogService } from '../deliveries/delivery-log.service.js';
import { outboxList } from './outbox-list.dto.js';

/** The outbox as a source of metrics. */
export const outboxSource = (registry: ResourceRegistry): MetricSource => ({
  key: DELIVERY_TYPE,
  path: '/api/admin/outbox',
  list: outboxList,
  entity: DeliveryLogService.entity,
  workspaceFilter: null,
  isReadable: () => reachOf('outbox:read') === 'tenant',
  visible: () => disclosing(registry, DELIVERY_ABOUT),
});

const ofPeriod = { from: TOKENS.starts, to: TOKENS.ends };
const platform = { group: 'platform', of: DELIVERY_TYPE, hasHistory: true } as const;

export const OUTBOX_METRICS: readonly Metric[] = [
  {
    ...platform,
    key: 'webhook_success',
    name: 'Webhook success',
    formula: 'Delivered ÷ delivered and exhausted deliveries, of those created in the period that are still stored.',
    unit: 'percent',
    usualTarget: 99,
    direction: 'higher',
    where: { ...ofPeriod, 'status[in]': 'delivered,exhausted' },
    measure: share(`t.status = 'delivered'`),
  },
  {
    ...platform,
    key: 'failed_deliveries',
    name: 'Failed deliveries',
    formula: 'Number of deliveries created in the period that failed in all attempts and are still stored.',
    unit: 'count',
    usualTarget: 0,
    direction: 'lower',
    where: { ...ofPeriod, status: 'exhausted' },
    measure: count(),
  },
];
