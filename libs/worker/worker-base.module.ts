import { Module } from '@nestjs/common';
import { TenantFactsReader } from './tenant-facts.js';
import { WorkerPresence } from './worker-presence.js';

/** Providers that the worker modules of all areas share. */
@Module({
  providers: [TenantFactsReader, WorkerPresence],
  exports: [TenantFactsReader, WorkerPresence],
})
export class WorkerBaseModule {}
