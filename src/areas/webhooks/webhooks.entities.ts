import type { EntityClass } from '#libs/database/data-source.js';
import { Delivery } from './deliveries/delivery.entity.js';
import { Endpoint } from './endpoints/endpoint.js';
import { Recovery } from './recoveries/recovery.entity.js';

export const WEBHOOKS_ENTITIES: EntityClass[] = [Delivery, Recovery, Endpoint];
