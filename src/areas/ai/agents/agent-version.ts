import { Field, id, instant, nested } from '#libs/http/field.js';
import { ActorView, pageOf } from '#libs/resource/types/record.dto.js';
import { versionNumber } from '../version-number.js';
import { grants, instructions, tools } from './agent.js';
import { AgentParameters, modelKey } from './agent.parts.js';

/** A version of an agent as the API shows it. Never changes. */
export class AgentVersionView {
  @Field(id(), { description: 'Id of the version.' })
  id!: string;

  @Field(id(), { description: 'Agent that it is a version of.' })
  agentId!: string;

  @Field(versionNumber(), { description: 'Number of the version.', example: 1 })
  agentVersion!: number;

  @Field(instructions(), { description: 'Text that the model was given before each job.', nullable: true })
  instructions!: string | null;

  @Field(modelKey(), { description: 'Key of the provider.', nullable: true })
  provider!: string | null;

  @Field(modelKey(), { description: 'Key of the model.', nullable: true })
  model!: string | null;

  @Field(nested(AgentParameters), { description: 'Parameters of each call of the model.' })
  parameters!: AgentParameters;

  @Field(tools(), { description: 'Operations that the agent could call.', example: [] })
  tools!: string[];

  @Field(grants(), { description: 'Permissions that the agent had at most.', example: [] })
  grants!: string[];

  @Field(instant(), { description: 'Time from which the version held.' })
  createdAt!: string;

  @Field(nested(ActorView), { description: 'Principal that made it.' })
  createdBy!: ActorView;
}

export const AgentVersionPage = pageOf(AgentVersionView);
