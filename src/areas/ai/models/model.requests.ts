import { anyObject, Field, flag, integer, listOf, nested, text } from '#libs/http/field.js';
import { asksForNames } from '#libs/resource/lists/named-list.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import { PageInfo } from '#libs/resource/types/record.dto.js';
import { type AiModel, type AiModelView, MAX_MODELS, models, type NewPrice } from './model.js';
import { providerKey } from './provider.js';

type Settable = 'name' | 'contextTokens' | 'maxOutputTokens' | 'regions' | 'capabilities' | 'enabled' | 'isDefault';
/** A patch; its prices are added to the existing ones. */
export type ModelPatch = Partial<Pick<AiModel, Settable>> & { prices?: NewPrice[] };
export type NewModel = Pick<AiModel, 'key' | 'contextTokens' | 'maxOutputTokens'> & ModelPatch & { provider: string };

/** A kind of job. */
export class AiKindView {
  @Field(text({ max: 60 }), { description: 'Key, for `kind` of a job.', example: 'text.summarize' })
  key!: string;

  @Field(text({ max: 200 }), { description: 'Its name.', example: 'Summarize a text' })
  title!: string;

  @Field(text({ max: 2_000 }), { description: 'Explanation for people.', example: 'The gist of a text.' })
  description!: string;

  @Field(anyObject(), { description: 'JSON Schema (2020-12) of `input`.', example: { type: 'object' } })
  inputSchema!: object;

  @Field(anyObject(), {
    description: 'JSON Schema of the output: `{ "type": "string" }` for plain text.',
    example: { type: 'string' },
  })
  outputSchema!: object;

  @Field(text({ max: 40 }), { description: 'Member of `input` that a bare `prompt` stands for.', example: 'text' })
  promptMember!: string;

  @Field(listOf(text({ max: 60 }), { max: 50 }), {
    description: 'Types of records that it takes; null for any.',
    example: ['finance.invoice'],
    nullable: true,
  })
  targetObjects!: string[] | null;

  @Field(integer({ min: 0, max: 100 }), { description: 'Records that it takes at least.', example: 0 })
  minTargets!: number;

  @Field(integer({ min: 0, max: 100 }), { description: 'Records that it takes at most.', example: 20 })
  maxTargets!: number;
}

export class AiModelList {
  @Field(listOf(nested(models.view), { max: MAX_MODELS + 1 }), {
    description: 'The built-in one first, then by provider and key.',
  })
  data!: AiModelView[];

  @Field(nested(PageInfo), { description: 'Position of the page in the list.' })
  page!: PageInfo;

  @Field(listOf(nested(AiKindView), { max: 50 }), { description: 'Kinds of jobs.' })
  kinds!: AiKindView[];
}

export class AiModelQuery extends PageQuery {
  @Field(providerKey(), { description: 'Only models of this provider.', optional: true })
  provider?: string;

  @Field(flag(), { description: 'Only models that are used, or that are not.', optional: true })
  enabled?: boolean;
}
asksForNames(AiModelQuery, 'by provider and key');
