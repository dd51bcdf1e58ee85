import { Webhooks1763700000003 } from '../migrations/1763700000003-webhooks.js';
import { Delivery1763700000017 } from '../migrations/1763700000017-delivery.js';
import { DeliverySpeed1763700000018 } from '../migrations/1763700000018-delivery-speed.js';
import { WebhookGaps1763700000019 } from '../migrations/1763700000019-webhook-gaps.js';
import { Claims1763700000028 } from '../migrations/1763700000028-claims.js';
import { QueueLookups1763700000032 } from '../migrations/1763700000032-queue-lookups.js';
import { DirectEntries1763700000033 } from '../migrations/1763700000033-direct-entries.js';
import { RoomForResults1763700000034 } from '../migrations/1763700000034-room-for-results.js';
import { Sending1763700000036 } from '../migrations/1763700000036-sending.js';
import { HeldInOrder1763700000057 } from '../migrations/1763700000057-held-in-order.js';
import { RecoveryJobs1763700000121 } from '../migrations/1763700000121-recovery-jobs.js';

export const WEBHOOKS_MIGRATIONS = [
  Webhooks1763700000003,
  Delivery1763700000017,
  DeliverySpeed1763700000018,
  WebhookGaps1763700000019,
  Claims1763700000028,
  QueueLookups1763700000032,
  DirectEntries1763700000033,
  RoomForResults1763700000034,
  Sending1763700000036,
  HeldInOrder1763700000057,
  RecoveryJobs1763700000121,
];
