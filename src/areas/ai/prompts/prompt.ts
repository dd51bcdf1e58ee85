import { Column } from 'typeorm';
import { Field, listOf, nested, text } from '#libs/http/field.js';
import { stateless } from '#libs/kernel/lifecycle.js';
import { Attribute, Derived, ReadOnly } from '#libs/resource/types/attribute.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType, type Shown } from '#libs/resource/types/record-type.js';
import { archiveActions, trashActions } from '#libs/resource/types/standard-actions.js';
import { versionNumber } from '../version-number.js';

const slug = (max: number) =>
  text({
    min: 1,
    max,
    pattern: /^[a-z][a-z0-9._-]*$/,
    form: 'a lower-case letter followed by lower-case letters, digits, dots, underscores and hyphens',
  });
export const label = () => slug(60);
export const template = () => text({ min: 1, max: 20_000 });
export const variables = () => listOf(text({ min: 1, max: 60 }), { max: 50 });
export const commitNote = () => text({ min: 1, max: 500 });
export const TEMPLATE = 'Answer {{customerName}} politely: {{question}}';

/** A label and the version that it points to. */
export class PromptLabel {
  @Field(label(), { description: 'Label.', example: 'production' })
  label!: string;

  @Field(versionNumber(), { description: 'Version that the label stands on.', example: 1 })
  promptVersion!: number;
}

/** A prompt text for jobs. The fields show its newest version. */
export class Prompt extends RecordRow {
  @Attribute(slug(100), 'Key by which jobs name the prompt. Unique among prompts.', {
    example: 'reply.polite',
    unique: true,
    filter: true,
    sort: true,
  })
  key!: string;

  @ReadOnly(versionNumber(), 'Number of the newest version, which the other fields show.', { default: 1 })
  promptVersion!: number;

  @Attribute(
    template(),
    'Text, with variables such as `{{customerName}}`. A patch with another text makes a new version.',
    {
      example: TEMPLATE,
    },
  )
  template!: string;

  @Derived(variables(), 'Names of the variables, in the order of the text.', { example: ['customerName', 'question'] })
  @Column('text', { array: true })
  variables!: string[];

  @Attribute(commitNote(), 'What is new in this version.', { nullable: true })
  commitNote!: string | null;

  @Attribute(
    listOf(nested(PromptLabel), { max: 20 }),
    'Names that move between versions, such as `production`; each stands on one. A patch replaces the list, so that a label moves at once.',
    { default: [], example: [{ label: 'production', promptVersion: 1 }] },
  )
  labels!: PromptLabel[];
}

export type ShownPrompt = Shown<Prompt>;
export type PromptAction = keyof typeof promptLifecycle.transitions;

/** A prompt that a job has used cannot be deleted, only archived; new jobs cannot use it then. */
const promptLifecycle = stateless({
  ...archiveActions('prompt', ['active'], 'ai-prompts:write'),
  ...trashActions('prompt', ['active'], 'ai-prompts:write'),
});

export const prompts = recordType(Prompt, {
  base: '/api',
  area: 'ai',
  collection: 'prompts',
  noun: 'prompt',
  prefix: 'PRM',
  permissions: { read: 'ai-jobs:read', write: 'ai-prompts:write' },
  name: { example: 'Polite reply', about: 'Label of the prompt.' },
  lifecycle: promptLifecycle,
  problems: { delete: ['in_use'] },
  bodies: {
    create: { name: 'Polite reply', key: 'reply.polite', template: TEMPLATE },
    update: { labels: [{ label: 'production', promptVersion: 1 }] },
  },
});
