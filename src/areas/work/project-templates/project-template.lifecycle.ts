import { lifecycle } from '#libs/kernel/lifecycle.js';
import { trashActions } from '#libs/resource/standard-actions.js';

const MANAGE = 'project-templates:manage';
const anyState = ['draft', 'published', 'archived'] as const;

/** Archived is a state here: what nobody starts projects from any more. */
export const projectTemplateLifecycle = lifecycle({
  states: anyState,
  initial: 'draft',
  transitions: {
    publish: {
      from: ['draft', 'archived'],
      to: 'published',
      permission: MANAGE,
      event: 'published',
      summary: 'Publish a project template',
      happened: 'A project template was published.',
    },
    retire: {
      from: ['published'],
      to: 'archived',
      permission: MANAGE,
      event: 'archived',
      summary: 'Archive a project template',
      happened: 'A project template was archived.',
    },
    ...trashActions('project template', anyState, MANAGE),
  },
});

export type ProjectTemplateAction = keyof typeof projectTemplateLifecycle.transitions;
export type ProjectTemplateStatus = (typeof projectTemplateLifecycle.states)[number];
