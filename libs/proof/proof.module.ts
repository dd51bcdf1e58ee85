import { Module } from '@nestjs/common';
import { SigningKeys } from './signing-keys.js';

/** What outsiders can verify. */
@Module({ providers: [SigningKeys], exports: [SigningKeys] })
export class ProofModule {}
