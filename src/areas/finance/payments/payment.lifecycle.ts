import { lifecycle } from '#libs/kernel/lifecycle.js';

/** Received money is returned by `refund`, never by an edit. */
export const paymentLifecycle = lifecycle({
  states: ['pending', 'succeeded', 'failed', 'cancelled', 'partially_refunded', 'refunded'],
  initial: 'pending',
  transitions: {
    succeed: {
      from: ['pending'],
      to: 'succeeded',
      permission: 'payments:write',
      event: 'succeeded',
      summary: 'Record that a payment has arrived',
      happened: 'A payment arrived, and its allocations were made.',
      risk: 'medium',
    },
    fail: {
      from: ['pending'],
      to: 'failed',
      permission: 'payments:write',
      event: 'failed',
      summary: 'Record that a payment has failed',
      happened: 'A payment failed.',
    },
    cancel: {
      from: ['pending'],
      to: 'cancelled',
      permission: 'payments:write',
      event: 'cancelled',
      summary: 'Cancel a payment that has not arrived',
      happened: 'A payment was cancelled before it arrived.',
    },
    allocate: {
      from: ['succeeded', 'partially_refunded'],
      to: null,
      permission: 'payments:write',
      event: 'allocated',
      summary: 'Allocate the rest of a payment to invoices',
      happened: 'Unallocated money of a payment was allocated to invoices.',
      risk: 'medium',
    },
    refund: {
      from: ['succeeded', 'partially_refunded'],
      to: 'refunded',
      permission: 'payments:refund',
      event: 'refunded',
      summary: 'Record that a payment was refunded, in full or in part',
      happened: 'A full or partial refund of a payment was recorded.',
      risk: 'high',
      gate: { key: 'payment.refund', past: ['partially_refunded', 'refunded'] },
    },
    // Target state of a partial refund.
    refund_part: {
      from: ['succeeded', 'partially_refunded'],
      to: 'partially_refunded',
      permission: 'payments:refund',
      event: 'refunded',
      summary: 'Record that a payment was refunded in part',
      happened: 'A full or partial refund of a payment was recorded.',
      byPlatform: true,
    },
    // Amounts that a credit note releases from a paid invoice.
    release: {
      from: ['succeeded', 'partially_refunded'],
      to: null,
      permission: 'payments:write',
      event: 'released',
      summary: 'Release an allocation',
      happened: 'A credit note released money from a paid invoice: it is unallocated money of the payment again.',
      byPlatform: true,
    },
  },
});

export type PaymentAction = keyof typeof paymentLifecycle.transitions;
export type PaymentStatus = (typeof paymentLifecycle.states)[number];
