import {
  anyObject,
  constant,
  Field,
  flag,
  instant,
  integer,
  listOf,
  name,
  nested,
  oneOf,
  text,
} from '#libs/http/field.js';
import { asksForNames } from '#libs/resource/named-list.js';
import { ShortListQuery } from '#libs/resource/page-query.js';
import { PageInfo } from '#libs/resource/record.dto.js';
import { MaybeBuiltIn } from './built-in.dto.js';
import { patchOf, providerKey, region } from './provider.dto.js';

/** Type key of models; also the beginning of their event types. */
export const MODEL_TYPE = 'ai.model';
/** Path of the models in the API. */
export const MODELS_PATH = '/api/ai/models';

/** What a model can do beyond text: ask for tools, take a JSON Schema for its answer. */
export const CAPABILITIES = ['tools', 'json'] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** Models of one tenant, beside the built-in one, and prices of one model. */
export const MAX_MODELS = 200;
export const MAX_PRICES = 200;
/** A price of a million units of currency for 1,000 tokens is a slip of the pen. */
export const MAX_PRICE = 1_000_000_000_000;
const MAX_REGIONS = 20;

export const modelKey = () => text({ min: 1, max: 100, pattern: /^\S+$/, form: 'without white space' });
const micros = () => integer({ min: 0, max: MAX_PRICE });
const contextTokens = () => integer({ min: 1_024, max: 100_000_000 });
const maxOutputTokens = () => integer({ min: 64, max: 10_000_000 });
const regions = () => listOf(region(), { max: MAX_REGIONS, unique: true });
const capabilities = () => listOf(oneOf(CAPABILITIES), { max: CAPABILITIES.length, unique: true });

/** A price from an instant on. */
export class NewPrice {
  @Field(instant(), {
    description: 'From when it holds; now if not given. Of a model that exists not in the past: what was, was.',
    example: '2027-01-01T00:00:00.000Z',
    optional: true,
  })
  from?: string;

  @Field(micros(), { description: 'For 1,000 input tokens, in millionths of the tenant’s currency.', example: 150 })
  inputMicrosPer1k!: number;

  @Field(micros(), { description: 'For 1,000 output tokens.', example: 600 })
  outputMicrosPer1k!: number;

  @Field(micros(), {
    description: 'For 1,000 input tokens from the provider’s cache; as other input if not given.',
    example: 75,
    optional: true,
  })
  cachedMicrosPer1k?: number;
}

export class CreateAiModel {
  @Field(providerKey(), { description: 'Key of its provider.', example: 'openai' })
  provider!: string;

  @Field(modelKey(), { description: 'Its name at the provider.', example: 'small-model-2026-08' })
  key!: string;

  @Field(name(), {
    description: 'What people recognise it by; the key if not given.',
    example: 'Small model',
    optional: true,
  })
  name!: string;

  @Field(contextTokens(), { description: 'Tokens that it takes, with its answer.', example: 128_000 })
  contextTokens!: number;

  @Field(maxOutputTokens(), { description: 'Tokens that it answers with at most.', example: 16_384 })
  maxOutputTokens!: number;

  @Field(listOf(nested(NewPrice), { max: 10 }), {
    description:
      'Prices. A model is not used before one of them is in force. In a patch they are added to those that there are.',
    optional: true,
  })
  prices!: NewPrice[];

  @Field(regions(), {
    description: 'Where it works on what it is sent; that of its provider if empty.',
    example: ['eu'],
    optional: true,
  })
  regions!: string[];

  @Field(capabilities(), {
    description: 'What it can do beyond text; both if not given.',
    example: ['tools', 'json'],
    optional: true,
  })
  capabilities!: Capability[];

  @Field(flag(), { description: 'Whether it is used; true if not given.', example: true, optional: true })
  enabled!: boolean;

  @Field(flag(), { description: 'Whether it is the tenant’s default in the place of another.', optional: true })
  isDefault!: boolean;
}

/** A merge patch. Provider and key stay as they are. */
export const UpdateAiModel = patchOf('UpdateAiModel', CreateAiModel, ['provider', 'key']);
export type ModelPatch = Partial<Omit<CreateAiModel, 'provider' | 'key'>>;

export class PriceView {
  @Field(instant(), { description: 'From when it holds.', example: '2026-11-21T09:15:02.114Z' })
  from!: string;

  @Field(micros(), { description: 'For 1,000 input tokens, in millionths of the tenant’s currency.', example: 150 })
  inputMicrosPer1k!: number;

  @Field(micros(), { description: 'For 1,000 output tokens.', example: 600 })
  outputMicrosPer1k!: number;

  @Field(micros(), { description: 'For 1,000 input tokens from the provider’s cache.', example: 75 })
  cachedMicrosPer1k!: number;
}

export class AiModelView extends MaybeBuiltIn {
  @Field(constant(MODEL_TYPE), { description: 'Type of the record.', example: MODEL_TYPE })
  object!: string;

  @Field(providerKey(), { description: 'Key of its provider.', example: 'openai' })
  provider!: string;

  @Field(modelKey(), { description: 'Its name at the provider.', example: 'small-model-2026-08' })
  key!: string;

  @Field(name(), { description: 'What people recognise it by.', example: 'Small model' })
  name!: string;

  @Field(contextTokens(), { description: 'Tokens that it takes, with its answer.', example: 128_000 })
  contextTokens!: number;

  @Field(maxOutputTokens(), { description: 'Tokens that it answers with at most.', example: 16_384 })
  maxOutputTokens!: number;

  @Field(nested(PriceView), {
    description: 'The price in force; null without one, and then it is not used.',
    nullable: true,
  })
  price!: PriceView | null;

  @Field(listOf(nested(PriceView), { max: MAX_PRICES }), {
    description: 'All prices, the oldest first. They never change.',
  })
  prices!: PriceView[];

  @Field(regions(), { description: 'Where it works on what it is sent; empty if that is not known.', example: ['eu'] })
  regions!: string[];

  @Field(capabilities(), { description: 'What it can do beyond text.', example: ['tools', 'json'] })
  capabilities!: Capability[];

  @Field(flag(), { description: 'Whether it is the tenant’s default.' })
  isDefault!: boolean;
}

/** Something that jobs can be about. */
export class AiKindView {
  @Field(text({ max: 60 }), { description: 'Key, for `kind` of a job.', example: 'text.summarize' })
  key!: string;

  @Field(text({ max: 200 }), { description: 'Its name.', example: 'Summarize a text' })
  title!: string;

  @Field(text({ max: 2_000 }), { description: 'What it does.', example: 'The gist of a text.' })
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
  @Field(listOf(nested(AiModelView), { max: MAX_MODELS + 1 }), {
    description: 'The built-in one first, then by provider and key.',
  })
  data!: AiModelView[];

  @Field(nested(PageInfo), { description: 'How to go on.' })
  page!: PageInfo;

  @Field(listOf(nested(AiKindView), { max: 50 }), { description: 'What jobs can be about.' })
  kinds!: AiKindView[];
}

export class AiModelQuery extends ShortListQuery {
  @Field(providerKey(), { description: 'Only models of this provider.', optional: true })
  provider?: string;

  @Field(flag(), { description: 'Only models that are used, or that are not.', optional: true })
  enabled?: boolean;
}
asksForNames(AiModelQuery, 'by provider and key');
