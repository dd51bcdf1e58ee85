import { listOf, nested, oneOf, text } from '#libs/http/field.js';
import { Attribute, Derived, ReadOnly } from '#libs/resource/types/attribute.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType, type Shown } from '#libs/resource/types/record-type.js';
import { versionNumber } from '../version-number.js';
import { grant } from './agent.grants.js';
import { agentLifecycle, type AgentStatus } from './agent.lifecycle.js';
import {
  AgentDataScope,
  AgentLimits,
  AgentParameters,
  AgentStats,
  AUTONOMIES,
  type Autonomy,
  modelKey,
  NO_LIMITS,
  NO_PARAMETERS,
  WHOLE_TENANT,
} from './agent.parts.js';
import { TOOLS } from './agent.tools.js';

export const instructions = () => text({ max: 20_000 });
export const tools = () => listOf(oneOf([...TOOLS.keys()]), { max: TOOLS.size, unique: true });
export const grants = () => listOf(grant(), { max: 100, unique: true });

/** An AI agent. */
export class Agent extends RecordRow {
  @ReadOnly(oneOf(agentLifecycle.states), 'State of the agent. Only an active agent takes jobs.', {
    example: 'draft',
    filter: true,
    sort: true,
  })
  status!: AgentStatus;

  @Attribute(text({ max: 5_000 }), 'Purpose of the agent.', { nullable: true })
  description!: string | null;

  @Attribute(instructions(), 'Text that the model is given before each job.', {
    example: 'Name the three deals that need a call.',
    nullable: true,
  })
  instructions!: string | null;

  @Attribute(modelKey(), 'Key of the provider, `local` or one of the tenant’s; the tenant’s default if null.', {
    example: 'local',
    nullable: true,
    filter: true,
  })
  provider!: string | null;

  @Attribute(modelKey(), 'Key of the model; the provider’s default if null.', { nullable: true, filter: true })
  model!: string | null;

  @Attribute(nested(AgentParameters), 'Parameters of each call of the model. A patch changes the members it names.', {
    default: NO_PARAMETERS,
  })
  parameters!: AgentParameters;

  @Attribute(tools(), 'Operations that the agent can call.', { default: [], example: ['deals.search'] })
  tools!: string[];

  @Attribute(
    grants(),
    'Permissions that the agent has at most; the caller has to hold them too. In a job they are narrowed further to the rights of the requester.',
    { default: [], example: ['deals:read'] },
  )
  grants!: string[];

  @Attribute(nested(AgentDataScope), 'Records that the agent may look at. A patch changes the members it names.', {
    default: WHOLE_TENANT,
  })
  dataScope!: AgentDataScope;

  @Attribute(oneOf(AUTONOMIES), 'How the changes that the agent proposes are handled; `approve_each` by default.', {
    default: 'approve_each',
    filter: true,
  })
  autonomy!: Autonomy;

  @Attribute(nested(AgentLimits), 'Limits on cost and use. A patch changes the members it names.', {
    default: NO_LIMITS,
  })
  limits!: AgentLimits;

  @ReadOnly(
    versionNumber(),
    'Increases by one with each change of instructions, provider, model, parameters, tools or grants.',
    { default: 1 },
  )
  agentVersion!: number;

  @Derived(nested(AgentStats), 'Figures of the last 30 days; only where one agent is read, null elsewhere.', {
    nullable: true,
  })
  stats?: AgentStats | null;
}

export type ShownAgent = Shown<Agent>;

export const agents = recordType(Agent, {
  area: 'intelligence',
  collection: 'agents',
  noun: 'agent',
  prefix: 'AGT',
  permissions: { read: 'agents:read', write: 'agents:write' },
  name: { example: 'Deal scout' },
  lifecycle: agentLifecycle,
  problems: { create: ['grant_exceeds_rights'], update: ['grant_exceeds_rights'] },
  besides: {
    update: [
      {
        scope: 'agents:activate',
        when: 'If the change affects the autonomy, grants, tools or data scope of an active agent.',
      },
    ],
  },
});
