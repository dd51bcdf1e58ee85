import { area } from '../area.js';

export const ai = area({
  name: 'ai',
  tags: {
    'ai overview': 'Status of AI work: jobs, cost, agents, providers, and alerts.',
    'ai jobs': 'Jobs for AI models: estimate, request, approve, follow, and review proposed changes.',
    'ai approvals': 'AI jobs that wait for a decision.',
    'ai automation': 'The kill switch: pause and resume all AI work.',
    'ai policy': 'Rules for AI: allowed kinds and models, cost limits, approvals, data.',
    'ai budgets': 'Spending limits for AI jobs per period, with amounts spent and reserved.',
    'ai usage': 'AI usage and cost from the ledger, with the limits in force.',
    'ai prompts': 'Prompts with variables: immutable versions, and labels that point to them.',
    'ai models': 'Models for AI jobs, their prices, and the kinds of jobs.',
    'ai providers': 'Connections to AI services: addresses and credentials.',
    'intelligence agents': 'AI agents: instructions, permissions, and versions.',
    'intelligence jobs': 'AI jobs, read-only: the same as under `ai jobs`.',
  },
  entities: async () => (await import('./ai.entities.js')).AI_ENTITIES,
  routes: async () => (await import('./ai.module.js')).AiModule,
  background: [async () => (await import('./ai-worker.module.js')).AiWorkerModule],
});
