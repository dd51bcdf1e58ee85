import { lifecycle } from '#libs/kernel/lifecycle.js';

/** Candidates cannot sign yet, so members who may send offers record the candidate's response. */
export const offerLifecycle = lifecycle({
  states: ['draft', 'pending_approval', 'approved', 'sent', 'accepted', 'declined', 'expired', 'withdrawn'],
  initial: 'draft',
  transitions: {
    submit: {
      from: ['draft'],
      to: 'pending_approval',
      permission: 'offers:write',
      event: 'submitted',
      summary: 'Submit an offer for approval',
      happened: 'An offer was submitted for approval.',
    },
    approve: {
      from: ['pending_approval'],
      to: 'approved',
      permission: 'offers:approve',
      event: 'approved',
      summary: 'Approve an offer',
      happened: 'An offer was approved.',
      risk: 'medium',
    },
    send: {
      from: ['approved'],
      to: 'sent',
      permission: 'offers:send',
      event: 'sent',
      summary: 'Send an offer to its candidate',
      happened:
        'An offer was sent: a mail was queued for the candidate, or it was only marked as sent if they have no address.',
      risk: 'medium',
      gate: { key: 'offer.send', past: ['sent', 'accepted'] },
    },
    accept: {
      from: ['sent'],
      to: 'accepted',
      permission: 'offers:send',
      event: 'accepted',
      summary: 'Record that an offer was accepted',
      happened: 'An offer was accepted.',
      risk: 'medium',
    },
    decline: {
      from: ['sent'],
      to: 'declined',
      permission: 'offers:send',
      event: 'declined',
      summary: 'Record that an offer was declined',
      happened: 'An offer was declined.',
    },
    expire: {
      from: ['sent'],
      to: 'expired',
      permission: 'offers:send',
      event: 'expired',
      summary: 'Mark an unanswered offer as expired',
      happened: 'An offer expired without an answer.',
    },
    withdraw: {
      from: ['draft', 'pending_approval', 'approved', 'sent'],
      to: 'withdrawn',
      permission: 'offers:write',
      event: 'withdrawn',
      summary: 'Withdraw an offer',
      happened: 'An offer was withdrawn.',
    },
  },
});

export type OfferAction = keyof typeof offerLifecycle.transitions;
export type OfferStatus = (typeof offerLifecycle.states)[number];
