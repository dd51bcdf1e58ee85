import type { EntityClass } from '#libs/database/data-source.js';
import { AuditLogRow } from './admin/audit-logs/audit-log.entity.js';
import { Deal } from './sales/deals/deal.entity.js';
import { Pipeline } from './sales/pipelines/pipeline.entity.js';
import { Delivery } from './webhooks/deliveries/delivery.entity.js';
import { Endpoint } from './webhooks/endpoints/endpoint.entity.js';

/** Every entity of every area. */
export const ENTITIES: EntityClass[] = [AuditLogRow, Deal, Delivery, Endpoint, Pipeline];
