import { Column, Entity } from 'typeorm';
import { RecordRow } from '#libs/resource/record.entity.js';
import type { AgentStatus } from './agent.lifecycle.js';
import type { AgentDataScope, AgentLimits, AgentParameters, Autonomy } from './agent.parts.js';

@Entity({ schema: 'data', name: 'intelligence_agents' })
export class Agent extends RecordRow {
  @Column('text')
  status!: AgentStatus;

  @Column('text', { nullable: true })
  description!: string | null;

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

  @Column('jsonb', { name: 'data_scope' })
  dataScope!: AgentDataScope;

  @Column('text')
  autonomy!: Autonomy;

  @Column('jsonb')
  limits!: AgentLimits;

  @Column('integer', { name: 'agent_version' })
  agentVersion!: number;
}
