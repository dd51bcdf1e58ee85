/** Type key of a delivery. */
export const DELIVERY_TYPE = 'webhook.delivery';

/** Status of a delivery, as callers see it. */
export const DELIVERY_STATUSES = [
  'pending',
  'in_flight',
  'retrying',
  'delivered',
  'exhausted',
  'held',
  'skipped',
] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Status of a delivery as stored; callers see `in_flight` while a worker has leased its queue entry. */
export type StoredStatus = Exclude<DeliveryStatus, 'in_flight'>;

/** SQL, for the tenant `:tenant`: the delivery `t` is pending, exhausted, held or skipped; uses partial indexes. */
export const UNDELIVERED = `t.id in (
  select q.delivery_id from data.webhook_queue q where q.tenant_id = :tenant
  union all
  select s.id from data.webhook_deliveries s where s.tenant_id = :tenant and s.stopped is not null)`;

/** SQL: the delivery `t` has an entry in the queue. */
export const QUEUED = `exists (select 1 from data.webhook_queue q where q.tenant_id = t.tenant_id and q.delivery_id = t.id)`;

/** SQL: a worker has leased the entry of the delivery `t` in the queue. */
export const LEASED = `exists (select 1 from data.webhook_queue q where q.tenant_id = t.tenant_id and q.delivery_id = t.id
  and q.leased_until > now())`;

/** SQL of the status of the delivery `t` as callers see it. */
export const STATUS = `case when ${LEASED} then 'in_flight' else t.status end`;
