import { Module } from '@nestjs/common';
import { AuditSealer } from './audit-sealer.js';
import { AuditTree } from './audit-tree.js';
import { SigningKeys } from './signing-keys.js';

/** Verifiable audit logs and signing keys. */
@Module({ providers: [AuditSealer, AuditTree, SigningKeys], exports: [AuditSealer, AuditTree, SigningKeys] })
export class ProofModule {}
