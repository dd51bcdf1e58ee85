import { Module } from '@nestjs/common';
import { AuditSealer } from './audit-sealer.js';
import { AuditTree } from './audit-tree.js';
import { SigningKeys } from './signing-keys.js';

/** What outsiders can verify. */
@Module({ providers: [AuditSealer, AuditTree, SigningKeys], exports: [AuditSealer, AuditTree, SigningKeys] })
export class ProofModule {}
