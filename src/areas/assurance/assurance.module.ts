import { Module } from '@nestjs/common';
import { AuditStreamsRecordsModule } from './audit-streams/audit-streams-records.module.js';
import { EvidenceModule } from './evidence/evidence.module.js';
import { PostureRecordsModule } from './security/posture/posture-records.module.js';
import { ProofModule } from '#libs/proof/proof.module.js';
import { RetentionRecordsModule } from './retention/retention-records.module.js';
import { AuditLogsController } from './audit-logs/audit-logs.controller.js';
import { AuditStreamsController } from './audit-streams/audit-streams.controller.js';
import { PostureController } from './security/posture/posture.controller.js';
import { RetentionController } from './retention/retention.controller.js';
import { SecurityController } from './security/security.controller.js';
import { AuditExports } from './audit-logs/audit-export.service.js';
import { AuditLogsRepository } from './audit-logs/audit-logs.repository.js';
import { AuditLogsService } from './audit-logs/audit-logs.service.js';
import { AuditProofs } from './audit-logs/audit-proofs.service.js';
import { AuditStreamTests } from './audit-streams/audit-stream-tests.service.js';
import { MfaRepository } from './security/mfa.repository.js';
import { MfaService } from './security/mfa.service.js';
import { PostureChanges } from './security/posture/posture-changes.service.js';
import { RetentionService } from './retention/retention.service.js';

/** Proof for auditors: the audit log and where it is sent, evidence, posture, sign-in rules, retention and legal holds. */
@Module({
  imports: [AuditStreamsRecordsModule, EvidenceModule, PostureRecordsModule, ProofModule, RetentionRecordsModule],
  controllers: [
    AuditLogsController,
    AuditStreamsController,
    PostureController,
    RetentionController,
    SecurityController,
  ],
  providers: [
    AuditExports,
    AuditLogsRepository,
    AuditLogsService,
    AuditProofs,
    AuditStreamTests,
    MfaRepository,
    MfaService,
    PostureChanges,
    RetentionService,
  ],
})
export class AssuranceModule {}
