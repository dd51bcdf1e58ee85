import { Module } from '@nestjs/common';
import { ProofModule } from '#libs/proof/proof.module.js';
import { EvidenceController } from './evidence.controller.js';
import { EvidenceListService } from './evidence-list.service.js';
import { EvidenceRepository } from './evidence.repository.js';
import { EvidenceService } from './evidence.service.js';

/** Bundles of compliance evidence. */
@Module({
  imports: [ProofModule],
  controllers: [EvidenceController],
  providers: [EvidenceListService, EvidenceRepository, EvidenceService],
})
export class EvidenceModule {}
