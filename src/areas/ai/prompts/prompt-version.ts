import { Field, id, instant, integer, listOf, nested } from '#libs/http/field.js';
import { ActorView, pageOf } from '#libs/resource/types/record.dto.js';
import type { ActorStamp } from '#libs/resource/types/record.entity.js';
import { versionNumber } from '../version-number.js';
import { commitNote, label, template, TEMPLATE, variables } from './prompt.js';

/** A version of a prompt as the API shows it. The text never changes. */
export class PromptVersionView {
  @Field(id(), { description: 'Id of the version.' })
  id!: string;

  @Field(id(), { description: 'Prompt that it is a version of.' })
  promptId!: string;

  @Field(versionNumber(), { description: 'Number of the version.', example: 1 })
  promptVersion!: number;

  @Field(template(), { description: 'Text.', example: TEMPLATE })
  template!: string;

  @Field(variables(), {
    description: 'Names of the variables, in the order of the text.',
    example: ['customerName', 'question'],
  })
  variables!: string[];

  @Field(commitNote(), { description: 'What is new in this version.', nullable: true })
  commitNote!: string | null;

  @Field(listOf(label(), { max: 20 }), { description: 'Labels that stand on it now.', example: ['production'] })
  labels!: string[];

  @Field(integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), {
    description: 'Number of jobs that were made with it.',
    example: 0,
  })
  jobs!: number;

  @Field(instant(), { description: 'Time of creation.' })
  createdAt!: string;

  @Field(nested(ActorView), { description: 'Principal that made it.' })
  createdBy!: ActorStamp;
}

export const PromptVersionPage = pageOf(PromptVersionView);
