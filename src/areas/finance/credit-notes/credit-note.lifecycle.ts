import { lifecycle } from '#libs/kernel/lifecycle.js';
import { trashActions } from '#libs/resource/types/standard-actions.js';

/** An issued credit note is owed to the customer until it is applied. */
export const creditNoteLifecycle = lifecycle({
  states: ['draft', 'issued', 'applied', 'void'],
  initial: 'draft',
  transitions: {
    issue: {
      from: ['draft'],
      to: 'issued',
      permission: 'credit-notes:write',
      event: 'issued',
      summary: 'Issue a credit note',
      happened: 'A credit note got its number and is owed to the customer.',
      risk: 'high',
      gate: { key: 'credit_note.issue', past: ['issued', 'applied'] },
    },
    send: {
      from: ['issued', 'applied'],
      to: null,
      permission: 'invoices:send',
      event: 'sent',
      summary: 'Send a credit note to its customer',
      happened: 'A credit note was sent: a mail was queued for each of the recipients in `sentTo`.',
    },
    apply: {
      from: ['issued'],
      to: 'applied',
      permission: 'credit-notes:write',
      event: 'applied',
      summary: 'Apply a credit note to its invoice',
      happened:
        'A credit note was applied to its invoice. Money paid in excess was recorded as refunded, or left as credit.',
      risk: 'medium',
    },
    void: {
      from: ['issued'],
      to: 'void',
      permission: 'credit-notes:write',
      event: 'voided',
      summary: 'Void a credit note that has not been applied',
      happened: 'A credit note was voided; it keeps its number.',
      risk: 'high',
    },
    ...trashActions('draft of a credit note', ['draft'], 'credit-notes:write'),
  },
});

export type CreditNoteAction = keyof typeof creditNoteLifecycle.transitions;
export type CreditNoteStatus = (typeof creditNoteLifecycle.states)[number];
