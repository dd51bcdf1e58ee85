import { Module } from '@nestjs/common';
import { WorkerPart } from '#libs/worker/worker-part.js';
import { AiPromptsRecordsModule } from '#src/areas/ai/prompts/ai-prompts-records.module.js';
import { SettingsRecordsModule } from '#src/areas/settings/settings-records.module.js';
import { NightlyRetention } from './nightly.js';
import { RetentionRecordsModule } from './retention-records.module.js';

/** Runs retention policies and empties the trash every night. */
@Module({
  imports: [AiPromptsRecordsModule, RetentionRecordsModule, SettingsRecordsModule],
  providers: [NightlyRetention],
})
export class RetentionWorkerModule extends WorkerPart {
  constructor(nightly: NightlyRetention) {
    super(nightly);
  }
}
