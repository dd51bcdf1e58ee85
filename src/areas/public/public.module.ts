import { Module } from '@nestjs/common';
import { ProofModule } from '#libs/proof/proof.module.js';
import { PublicKeysController } from './keys/public-keys.controller.js';
import { PublicKeysService } from './keys/public-keys.service.js';

/** What everybody may read and do, without a credential. */
@Module({
  imports: [ProofModule],
  controllers: [PublicKeysController],
  providers: [PublicKeysService],
})
export class PublicModule {}
