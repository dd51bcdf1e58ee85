import { Module } from '@nestjs/common';
import { ProofModule } from '#libs/proof/proof.module.js';
import { WorkerBaseModule } from '#libs/worker/worker-base.module.js';
import { WorkerPart } from '#libs/worker/worker-part.js';
import { AuditLogsRepository } from '../audit-logs/audit-logs.repository.js';
import { AuditStreaming } from './audit-streaming.js';
import { AuditStreamsRecordsModule } from './audit-streams-records.module.js';
import { StreamBatches } from './stream-batches.js';
import { StreamClaims } from './stream-claims.js';
import { StreamSender } from './stream-sender.js';

/** Streaming of audit logs, in the worker. */
@Module({
  imports: [AuditStreamsRecordsModule, ProofModule, WorkerBaseModule],
  providers: [AuditLogsRepository, AuditStreaming, StreamBatches, StreamClaims, StreamSender],
})
export class AuditStreamsWorkerModule extends WorkerPart {
  constructor(streaming: AuditStreaming) {
    super(streaming);
  }
}
