import { lifecycle } from '#libs/kernel/lifecycle.js';

/** Who may send offers notes the answer, until candidates can sign. */
export const offerLifecycle = lifecycle({
  states: ['draft', 'pending_approval', 'approved', 'sent', 'accepted', 'declined', 'expired', 'withdrawn'],
  initial: 'draft',
  transitions: {
    submit: {
      from: ['draft'],
      to: 'pending_approval',
      permission: 'offers:write',
      event: 'submitted',
      summary: 'Ask for approval of an offer',
      happened: 'An offer waits for approval.',
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
      summary: 'Mark an offer as sent',
      happened: 'An offer was marked as sent. The platform has sent nothing.',
      risk: 'medium',
      gate: { key: 'offer.send', past: ['sent', 'accepted'] },
    },
    accept: {
      from: ['sent'],
      to: 'accepted',
      permission: 'offers:send',
      event: 'accepted',
      summary: 'Note that an offer was accepted',
      happened: 'An offer was accepted.',
      risk: 'medium',
    },
    decline: {
      from: ['sent'],
      to: 'declined',
      permission: 'offers:send',
      event: 'declined',
      summary: 'Note that an offer was declined',
      happened: 'An offer was declined.',
    },
    expire: {
      from: ['sent'],
      to: 'expired',
      permission: 'offers:send',
      event: 'expired',
      summary: 'End an offer that was not answered',
      happened: 'An offer ended without an answer.',
    },
    withdraw: {
      from: ['draft', 'pending_approval', 'approved', 'sent'],
      to: 'withdrawn',
      permission: 'offers:write',
      event: 'withdrawn',
      summary: 'Take an offer back',
      happened: 'An offer was taken back.',
    },
  },
});

export type OfferAction = keyof typeof offerLifecycle.transitions;
export type OfferStatus = (typeof offerLifecycle.states)[number];
