import type { EntityClass } from '#libs/database/data-source.js';
import { AgentVersion } from './agents/agent-version.entity.js';
import { Agent } from './agents/agent.js';
import { Budget } from './budgets/budget.js';
import { Feedback } from './feedback/feedback.js';
import { aiJobs } from './jobs/job.resource.js';
import { AiModel } from './models/model.js';
import { AiProvider } from './models/provider.js';
import { AiPolicyVersion } from './policy/ai-policy-version.entity.js';
import { PromptVersion } from './prompts/prompt-version.entity.js';
import { Prompt } from './prompts/prompt.js';

export const AI_ENTITIES: EntityClass[] = [
  AgentVersion,
  Agent,
  Budget,
  aiJobs.entity,
  AiModel,
  AiPolicyVersion,
  AiProvider,
  Feedback,
  PromptVersion,
  Prompt,
];
