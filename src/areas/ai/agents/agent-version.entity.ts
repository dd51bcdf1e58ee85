import { Column, Entity } from 'typeorm';
import { TenantRow } from '#libs/database/tenant-row.js';
import type { ActorStamp } from '#libs/resource/types/record.entity.js';
import type { AgentParameters } from './agent.parts.js';

@Entity({ schema: 'data', name: 'intelligence_agent_versions' })
export class AgentVersion extends TenantRow {
  @Column('uuid', { name: 'agent_id' })
  agentId!: string;

  @Column('integer', { name: 'agent_version' })
  agentVersion!: number;

  @Column('text', { nullable: true })
  instructions!: string | null;

  @Column('text', { nullable: true })
  provider!: string | null;

  @Column('text', { nullable: true })
  model!: string | null;

  @Column('jsonb')
  parameters!: AgentParameters;

  @Column('jsonb')
  tools!: string[];

  @Column('jsonb')
  grants!: string[];

  @Column('jsonb', { name: 'created_by' })
  createdBy!: ActorStamp;
}
