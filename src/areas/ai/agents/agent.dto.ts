import { Field, instant, id, integer, listOf, nested, oneOf, text, type Kind } from '#libs/http/field.js';
import { ActorView, pageOf, RecordInput, RecordView, updateOf } from '#libs/resource/record.dto.js';
import { grant } from './agent.grants.js';
import { agentLifecycle, type AgentStatus } from './agent.lifecycle.js';
import { AgentDataScope, AgentLimits, AgentParameters, AgentStats, AUTONOMIES, type Autonomy } from './agent.parts.js';
import { TOOLS } from './agent.tools.js';

/** Key of a provider or a model. */
export const modelKey = () => text({ min: 1, max: 100, pattern: /^\S+$/, form: 'without white space' });
const instructions = () => text({ max: 20_000 });
const description = () => text({ max: 5_000 });
const tools = () => listOf(oneOf([...TOOLS.keys()]), { max: TOOLS.size, unique: true });
const grants = () => listOf(grant(), { max: 100, unique: true });
const pathText = text({ min: 1, max: 40, pattern: /^[0-9a-z-]+$/ });
/** The number of a version as a part of a path. Text that is no number names no version. */
export const versionInPath: Kind = {
  ...pathText,
  check: (value) =>
    pathText.check(value).length > 0 ? [{ code: 'invalid_id', detail: 'The value must be a number.' }] : [],
};
const versionNumber = () => integer({ min: 1, max: 2_147_483_647 });

export class CreateAgent extends RecordInput {
  @Field(description(), { description: 'What it is for.', optional: true, nullable: true })
  description!: string | null;

  @Field(instructions(), {
    description: 'What the model is told before each job.',
    example: 'Answer in the customer’s language.',
    optional: true,
    nullable: true,
  })
  instructions!: string | null;

  @Field(modelKey(), {
    description: 'Key of the provider, `local` or one of the tenant’s; the tenant’s default if null.',
    example: 'local',
    optional: true,
    nullable: true,
  })
  provider!: string | null;

  @Field(modelKey(), {
    description: 'Key of the model; the provider’s default if null.',
    optional: true,
    nullable: true,
  })
  model!: string | null;

  @Field(nested(AgentParameters), { description: 'How the model is called.', optional: true })
  parameters!: AgentParameters;

  @Field(tools(), { description: 'Operations it can call.', example: ['deals.search'], optional: true })
  tools!: string[];

  @Field(grants(), {
    description:
      'What it may do at most: permissions that the caller holds too. In a job it is further narrowed to the rights of who asked for it.',
    example: ['deals:read'],
    optional: true,
  })
  grants!: string[];

  @Field(nested(AgentDataScope), { description: 'Records it may look at.', optional: true })
  dataScope!: AgentDataScope;

  @Field(oneOf(AUTONOMIES), {
    description: 'What happens with the changes it proposes; approve_each if not given.',
    example: 'approve_each',
    optional: true,
  })
  autonomy!: Autonomy;

  @Field(nested(AgentLimits), { description: 'What it may use up.', optional: true })
  limits!: AgentLimits;
}

/** A merge patch; with `status` it is the action that leads there. */
export const UpdateAgent = updateOf('UpdateAgent', CreateAgent, {
  field: 'status',
  lifecycle: agentLifecycle,
  inputs: {},
});

export class AgentView extends RecordView {
  @Field(oneOf(agentLifecycle.states), { description: 'Only an active agent takes jobs.', example: 'draft' })
  status!: AgentStatus;

  @Field(description(), { description: 'What it is for.', nullable: true })
  description!: string | null;

  @Field(instructions(), { description: 'What the model is told before each job.', nullable: true })
  instructions!: string | null;

  @Field(modelKey(), { description: 'Key of the provider; the tenant’s default if null.', nullable: true })
  provider!: string | null;

  @Field(modelKey(), { description: 'Key of the model; the provider’s default if null.', nullable: true })
  model!: string | null;

  @Field(nested(AgentParameters), { description: 'How the model is called.' })
  parameters!: AgentParameters;

  @Field(tools(), { description: 'Operations it can call.', example: [] })
  tools!: string[];

  @Field(grants(), { description: 'What it may do at most.', example: [] })
  grants!: string[];

  @Field(nested(AgentDataScope), { description: 'Records it may look at.' })
  dataScope!: AgentDataScope;

  @Field(oneOf(AUTONOMIES), { description: 'What happens with the changes it proposes.', example: 'approve_each' })
  autonomy!: Autonomy;

  @Field(nested(AgentLimits), { description: 'What it may use up.' })
  limits!: AgentLimits;

  @Field(versionNumber(), {
    description: 'Rises with each change of instructions, provider, model, parameters, tools or grants.',
    example: 1,
  })
  agentVersion!: number;

  @Field(nested(AgentStats), {
    description: 'What its jobs came to in the last 30 days; only where one agent is read, null elsewhere.',
    nullable: true,
  })
  stats!: AgentStats | null;
}

/** What an agent was told and allowed between two such changes. Never changes. */
export class AgentVersionView {
  @Field(id(), { description: 'Id of the version.' })
  id!: string;

  @Field(id(), { description: 'The agent.' })
  agentId!: string;

  @Field(versionNumber(), { description: 'Number of the version.', example: 1 })
  agentVersion!: number;

  @Field(instructions(), { description: 'What the model was told before each job.', nullable: true })
  instructions!: string | null;

  @Field(modelKey(), { description: 'Key of the provider.', nullable: true })
  provider!: string | null;

  @Field(modelKey(), { description: 'Key of the model.', nullable: true })
  model!: string | null;

  @Field(nested(AgentParameters), { description: 'How the model was called.' })
  parameters!: AgentParameters;

  @Field(tools(), { description: 'Operations it could call.', example: [] })
  tools!: string[];

  @Field(grants(), { description: 'What it was allowed at most.', example: [] })
  grants!: string[];

  @Field(instant(), { description: 'From when it held.' })
  createdAt!: string;

  @Field(nested(ActorView), { description: 'Who made it.' })
  createdBy!: ActorView;
}

export const AgentVersionPage = pageOf(AgentVersionView);
