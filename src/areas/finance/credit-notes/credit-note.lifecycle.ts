import { lifecycle } from '#libs/kernel/lifecycle.js';

/** `Source:` domain document "core", section 6.2. An issued credit note is owed to the customer until it is applied. */
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
      gate: 'credit_note.issue',
    },
    apply: {
      from: ['issued'],
      to: 'applied',
      permission: 'credit-notes:write',
      event: 'applied',
      summary: 'Apply a credit note to its invoice',
      happened: 'A credit note was set against its invoice; what had been paid too much was refunded or credited.',
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
    delete: {
      from: ['draft'],
      to: null,
      permission: 'credit-notes:write',
      event: 'deleted',
      summary: 'Put a draft of a credit note into the trash',
      happened: 'A draft of a credit note was put into the trash.',
    },
    restore: {
      from: ['draft'],
      to: null,
      permission: 'credit-notes:write',
      event: 'restored',
      summary: 'Bring a draft of a credit note back from the trash',
      happened: 'A draft of a credit note was brought back from the trash.',
    },
  },
});

export type CreditNoteAction = keyof typeof creditNoteLifecycle.transitions;
export type CreditNoteStatus = (typeof creditNoteLifecycle.states)[number];
