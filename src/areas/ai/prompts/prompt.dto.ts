import { Field, id, instant, integer, type Kind, listOf, name, nested, text } from '#libs/http/field.js';
import { ActorView, mergePatchOf, pageOf, RecordInput, RecordView } from '#libs/resource/record.dto.js';
import type { ActorStamp } from '#libs/resource/record.entity.js';

const slug = (max: number) =>
  text({
    min: 1,
    max,
    pattern: /^[a-z][a-z0-9._-]*$/,
    form: 'a lower-case letter followed by lower-case letters, digits, dots, underscores and hyphens',
  });
/** What jobs name a prompt by. */
export const promptKey = () => slug(100);
/** What a version is called for the time being. */
export const label = () => slug(60);
export const promptVersion = () => integer({ min: 1, max: 2_147_483_647 });
const pathText = text({ min: 1, max: 40, pattern: /^[0-9a-z-]+$/ });
/** The number of a version as a part of a path. Text that is no number names no version. */
export const versionInPath: Kind = {
  ...pathText,
  check: (value) =>
    pathText.check(value).length > 0 ? [{ code: 'invalid_id', detail: 'The value must be a number.' }] : [],
};

const template = () => text({ min: 1, max: 20_000 });
const commitNote = () => text({ min: 1, max: 500 });
const variables = () => listOf(text({ min: 1, max: 60 }), { max: 50 });
const LABELS = 'Names that move between versions, such as `production`; each stands on one.';

/** A label and the version that it stands on. */
export class PromptLabel {
  @Field(label(), { description: 'The label.', example: 'production' })
  label!: string;

  @Field(promptVersion(), { description: 'Version that it stands on.', example: 1 })
  promptVersion!: number;
}

const labels = () => listOf(nested(PromptLabel), { max: 20 });

export class CreatePrompt extends RecordInput {
  @Field(name(), { description: 'Label of the prompt.', example: 'Polite reply' })
  override name!: string;

  @Field(promptKey(), { description: 'What jobs name it by. Unique among prompts.', example: 'reply.polite' })
  key!: string;

  @Field(template(), {
    description: 'The text, with variables as `{{customerName}}`. Another text makes a new version.',
    example: 'Answer {{customerName}} politely: {{question}}',
  })
  template!: string;

  @Field(commitNote(), {
    description: 'What is new in this version.',
    example: 'Shorter answers',
    optional: true,
    nullable: true,
  })
  commitNote!: string | null;

  @Field(labels(), {
    description: `${LABELS} A patch replaces the list, so that a label moves at once.`,
    example: [{ label: 'production', promptVersion: 1 }],
    optional: true,
  })
  labels!: PromptLabel[];
}

/** A merge patch. */
export const UpdatePrompt = mergePatchOf('UpdatePrompt', CreatePrompt);

export class PromptView extends RecordView {
  @Field(promptKey(), { description: 'What jobs name it by.', example: 'reply.polite' })
  key!: string;

  @Field(promptVersion(), { description: 'Number of the newest version, which the other fields show.', example: 1 })
  promptVersion!: number;

  @Field(template(), { description: 'The text.', example: 'Answer {{customerName}} politely: {{question}}' })
  template!: string;

  @Field(variables(), { description: 'Its variables, in their order.', example: ['customerName', 'question'] })
  variables!: string[];

  @Field(commitNote(), { description: 'What is new in this version.', nullable: true })
  commitNote!: string | null;

  @Field(labels(), { description: LABELS, example: [{ label: 'production', promptVersion: 1 }] })
  labels!: PromptLabel[];
}

/** The text of a prompt between two changes. Never changes. */
export class PromptVersionView {
  @Field(id(), { description: 'Id of the version.' })
  id!: string;

  @Field(id(), { description: 'The prompt.' })
  promptId!: string;

  @Field(promptVersion(), { description: 'Number of the version.', example: 1 })
  promptVersion!: number;

  @Field(template(), { description: 'The text.', example: 'Answer {{customerName}} politely: {{question}}' })
  template!: string;

  @Field(variables(), { description: 'Its variables, in their order.', example: ['customerName', 'question'] })
  variables!: string[];

  @Field(commitNote(), { description: 'What was new in it.', nullable: true })
  commitNote!: string | null;

  @Field(listOf(label(), { max: 20 }), { description: 'Labels that stand on it now.', example: ['production'] })
  labels!: string[];

  @Field(integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), {
    description: 'Jobs that were made with it.',
    example: 0,
  })
  jobs!: number;

  @Field(instant(), { description: 'When it was made.' })
  createdAt!: string;

  @Field(nested(ActorView), { description: 'Who made it.' })
  createdBy!: ActorStamp;
}

export const PromptVersionPage = pageOf(PromptVersionView);
