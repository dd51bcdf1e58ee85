import { Module } from '@nestjs/common';
import { NotificationsModule } from '#libs/notifications/notifications.module.js';
import { WorkerBaseModule } from '#libs/worker/worker-base.module.js';
import { WorkerPart } from '#libs/worker/worker-part.js';
import { ApiKeysRecordsModule } from './api-keys/api-keys-records.module.js';
import { KeyExpiryUpkeep } from './api-keys/key-expiry-upkeep.js';
import { KeyLetters } from './api-keys/key-letters.js';

/** The end of API keys, in the worker. */
@Module({
  imports: [ApiKeysRecordsModule, NotificationsModule, WorkerBaseModule],
  providers: [KeyExpiryUpkeep, KeyLetters],
})
export class AccessWorkerModule extends WorkerPart {
  constructor(keys: KeyExpiryUpkeep) {
    super(keys);
  }
}
