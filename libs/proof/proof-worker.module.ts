import { Module } from '@nestjs/common';
import { WorkerPart } from '#libs/worker/worker-part.js';
import { AuditSealing } from './audit-sealing.js';
import { ProofModule } from './proof.module.js';

/** Sealing of audit logs, in the worker. */
@Module({ imports: [ProofModule], providers: [AuditSealing] })
export class ProofWorkerModule extends WorkerPart {
  constructor(sealing: AuditSealing) {
    super(sealing);
  }
}
