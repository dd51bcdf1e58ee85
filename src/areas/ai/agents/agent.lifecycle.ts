import { lifecycle } from '#libs/kernel/lifecycle.js';
import { archiveActions, trashActions } from '#libs/resource/types/standard-actions.js';

const anyState = ['draft', 'active', 'paused', 'retired'] as const;
const atRest = ['draft', 'paused', 'retired'] as const;

/** `retired` is final. */
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
      gate: { key: 'agent.activate', past: ['active'], guards: ['autonomy', 'grants', 'tools', 'dataScope'] },
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
    ...archiveActions('agent', atRest, 'agents:write'),
    ...trashActions('agent', atRest, 'agents:delete', 'medium'),
  },
});

export type AgentAction = keyof typeof agentLifecycle.transitions;
export type AgentStatus = (typeof agentLifecycle.states)[number];
