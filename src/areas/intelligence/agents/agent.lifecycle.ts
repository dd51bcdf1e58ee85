import { lifecycle } from '#libs/kernel/lifecycle.js';

const anyState = ['draft', 'active', 'paused', 'retired'] as const;
const atRest = ['draft', 'paused', 'retired'] as const;

/** `Source:` domain document "core", section 9.1. Retired is final. */
export const agentLifecycle = lifecycle({
  states: anyState,
  initial: 'draft',
  transitions: {
    activate: {
      from: ['draft', 'paused'],
      to: 'active',
      permission: 'agents:activate',
      event: 'activated',
      summary: 'Activate an agent',
      happened: 'An agent was activated.',
      risk: 'medium',
      gate: 'agent.activate',
    },
    pause: {
      from: ['active'],
      to: 'paused',
      permission: 'agents:activate',
      event: 'paused',
      summary: 'Pause an agent',
      happened: 'An agent was paused.',
      risk: 'medium',
    },
    retire: {
      from: ['draft', 'active', 'paused'],
      to: 'retired',
      permission: 'agents:activate',
      event: 'retired',
      summary: 'Retire an agent for good',
      happened: 'An agent was retired.',
      risk: 'medium',
    },
    archive: {
      from: atRest,
      to: null,
      permission: 'agents:write',
      event: 'updated',
      summary: 'Archive an agent',
      happened: 'Fields of an agent changed.',
    },
    unarchive: {
      from: atRest,
      to: null,
      permission: 'agents:write',
      event: 'updated',
      summary: 'Bring an agent back from the archive',
      happened: 'Fields of an agent changed.',
    },
    delete: {
      from: atRest,
      to: null,
      permission: 'agents:delete',
      event: 'deleted',
      summary: 'Put an agent into the trash',
      happened: 'An agent was put into the trash.',
      risk: 'medium',
    },
    restore: {
      from: atRest,
      to: null,
      permission: 'agents:delete',
      event: 'restored',
      summary: 'Bring an agent back from the trash',
      happened: 'An agent was brought back from the trash.',
    },
  },
});

export type AgentAction = keyof typeof agentLifecycle.transitions;
export type AgentStatus = (typeof agentLifecycle.states)[number];
