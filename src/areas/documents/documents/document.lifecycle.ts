import { lifecycle } from '#libs/kernel/lifecycle.js';
import { archiveActions, trashActions } from '#libs/resource/types/standard-actions.js';

export const DOCUMENT_STATUSES = ['draft', 'rendered', 'final', 'superseded', 'void'] as const;

/** A document is printed once. What it says never changes; what is final can only be superseded or voided. */
export const documentLifecycle = lifecycle({
  states: DOCUMENT_STATUSES,
  initial: 'draft',
  transitions: {
    print: {
      from: ['draft'],
      to: 'rendered',
      permission: 'documents:write',
      byPlatform: true,
      event: 'rendered',
      summary: 'Print a document',
      happened: 'The PDF of a document was made.',
    },
    finalize: {
      from: ['rendered'],
      to: 'final',
      permission: 'documents:finalize',
      event: 'finalized',
      summary: 'Make a document final',
      happened: 'A document became final: it never changes any more.',
      risk: 'medium',
    },
    supersede: {
      from: ['final'],
      to: 'superseded',
      permission: 'documents:finalize',
      byPlatform: true,
      event: 'superseded',
      summary: 'Supersede a document',
      happened: 'Another document that replaces it became final.',
    },
    void: {
      from: ['draft', 'rendered', 'final'],
      to: 'void',
      permission: 'documents:finalize',
      event: 'voided',
      summary: 'Void a document; its PDF stays',
      happened: 'A document was voided.',
      risk: 'medium',
    },
    ...archiveActions('document', DOCUMENT_STATUSES, 'documents:write'),
    ...trashActions('document', ['draft', 'rendered', 'void'], 'documents:delete'),
  },
});

export type DocumentAction = keyof typeof documentLifecycle.transitions;
