import { lifecycle } from '#libs/kernel/lifecycle.js';
import { archiveActions, trashActions } from '#libs/resource/types/standard-actions.js';

const STATES = [
  'draft',
  'pending_approval',
  'approved',
  'sent',
  'viewed',
  'accepted',
  'declined',
  'expired',
  'superseded',
  'withdrawn',
] as const;

/** States in which the customer can answer. */
export const OPEN_STATES = ['sent', 'viewed'] as const satisfies (typeof STATES)[number][];

/** Nothing that the gate tests can change after the approval. */
const gate = { key: 'proposal.send', past: [] } as const;

export const proposalLifecycle = lifecycle({
  states: STATES,
  initial: 'draft',
  transitions: {
    submit: {
      from: ['draft'],
      to: 'pending_approval',
      permission: 'proposals:write',
      event: 'submitted',
      summary: 'Submit a proposal for approval',
      happened: 'A proposal was submitted for approval.',
    },
    approve: {
      from: ['pending_approval'],
      to: 'approved',
      permission: 'proposals:approve',
      event: 'approved',
      summary: 'Approve a proposal',
      happened: 'A proposal was approved.',
      risk: 'medium',
      gate,
    },
    send: {
      from: ['approved'],
      to: 'sent',
      permission: 'proposals:send',
      event: 'sent',
      summary: 'Send a proposal to its customer',
      happened: 'A proposal was sent: mails with a public link to it were queued.',
      risk: 'medium',
      gate,
    },
    resend: {
      from: [...OPEN_STATES],
      to: null,
      permission: 'proposals:send',
      event: 'resent',
      summary: 'Send a proposal again, such as to another address',
      happened: 'A proposal that waits for an answer was mailed again.',
      risk: 'medium',
    },
    view: {
      from: ['sent'],
      to: 'viewed',
      permission: 'proposals:send',
      event: 'viewed',
      summary: 'Note that a proposal was opened',
      happened: 'A proposal was opened by its public link for the first time.',
      byPlatform: true,
    },
    accept: {
      from: [...OPEN_STATES],
      to: 'accepted',
      permission: 'proposals:send',
      event: 'accepted',
      summary: 'Accept a proposal by its public link',
      happened: 'A proposal was accepted. `dealOutcome` says what became of its deal.',
      risk: 'medium',
      byPlatform: true,
    },
    accept_offline: {
      from: [...OPEN_STATES],
      to: 'accepted',
      permission: 'proposals:send',
      event: 'accepted',
      summary: 'Record that a proposal was accepted in another way',
      happened: 'A proposal was accepted. `dealOutcome` says what became of its deal.',
      risk: 'medium',
    },
    decline: {
      from: [...OPEN_STATES],
      to: 'declined',
      permission: 'proposals:send',
      event: 'declined',
      summary: 'Decline a proposal by its public link',
      happened: 'A proposal was declined by its public link.',
      byPlatform: true,
    },
    expire: {
      from: [...OPEN_STATES],
      to: 'expired',
      permission: 'proposals:send',
      event: 'expired',
      summary: 'Mark an unanswered proposal as expired',
      happened: 'A proposal expired without an answer.',
      byPlatform: true,
    },
    revise: {
      from: [...OPEN_STATES],
      to: 'superseded',
      permission: 'proposals:write',
      event: 'superseded',
      summary: 'Replace a proposal by a draft of its next version',
      happened: 'A proposal was replaced by the draft of a new version, and can no longer be accepted.',
      risk: 'medium',
    },
    withdraw: {
      from: ['draft', 'pending_approval', 'approved', ...OPEN_STATES],
      to: 'withdrawn',
      permission: 'proposals:write',
      event: 'withdrawn',
      summary: 'Withdraw a proposal',
      happened: 'A proposal was withdrawn.',
    },
    ...archiveActions('proposal', STATES, 'proposals:write'),
    ...trashActions('proposal', ['draft', 'declined', 'expired', 'withdrawn'], 'proposals:delete', 'medium'),
  },
});

export type ProposalAction = keyof typeof proposalLifecycle.transitions;
export type ProposalStatus = (typeof proposalLifecycle.states)[number];
