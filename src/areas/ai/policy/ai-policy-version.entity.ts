import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AiPolicy } from '#libs/ai/policy.js';
import type { ActorStamp } from '#libs/resource/types/record.entity.js';

@Entity({ schema: 'data', name: 'ai_policies' })
export class AiPolicyVersion {
  @PrimaryColumn('uuid', { name: 'tenant_id' })
  tenantId!: string;

  @PrimaryColumn('uuid')
  id!: string;

  @Column('integer')
  version!: number;

  @Column('jsonb')
  policy!: AiPolicy;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: string;

  @Column('jsonb', { name: 'created_by' })
  createdBy!: ActorStamp;
}
