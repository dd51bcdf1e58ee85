import { Work1763700000007 } from '../migrations/1763700000007-work.js';
import { DeliveryControl1763700000150 } from '../migrations/1763700000150-delivery-control.js';

export const WORK_MIGRATIONS = [Work1763700000007, DeliveryControl1763700000150];
