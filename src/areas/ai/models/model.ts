import { Column } from 'typeorm';
import { Field, flag, instant, integer, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { Attribute, Derived, Mapped } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';
import { type MaybeBuiltIn, MaybeBuiltInRow } from './maybe-built-in.js';
import { providerKey, region } from './provider.js';

/** Abilities of a model beyond text: requesting tool calls, following a JSON Schema. */
export const CAPABILITIES = ['tools', 'json'] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** Maximum number of models per tenant without the built-in one, and of prices per model. */
export const MAX_MODELS = 200;
export const MAX_PRICES = 200;
/** A higher price than a million currency units for 1,000 tokens is a typing error. */
export const MAX_PRICE = 1_000_000_000_000;

const micros = () => integer({ min: 0, max: MAX_PRICE });
const regions = listOf(region(), { max: 20, unique: true });
const capabilities = listOf(oneOf(CAPABILITIES), { max: CAPABILITIES.length, unique: true });

/** A price that applies from an instant on. */
export class NewPrice {
  @Field(instant(), {
    description: 'Start of the price; now if not given. For a model that exists, not in the past.',
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

export class PriceView {
  @Field(instant(), { description: 'Start of the price.', example: '2026-11-21T09:15:02.114Z' })
  from!: string;

  @Field(micros(), { description: 'For 1,000 input tokens, in millionths of the tenant’s currency.', example: 150 })
  inputMicrosPer1k!: number;

  @Field(micros(), { description: 'For 1,000 output tokens.', example: 600 })
  outputMicrosPer1k!: number;

  @Field(micros(), { description: 'For 1,000 input tokens from the provider’s cache.', example: 75 })
  cachedMicrosPer1k!: number;
}

const PRICE = {
  from: '2026-11-21T09:15:02.114Z',
  inputMicrosPer1k: 150,
  outputMicrosPer1k: 600,
  cachedMicrosPer1k: 75,
};

/** A model that jobs of a tenant may use. Its prices are in a separate table. */
export class AiModel extends MaybeBuiltInRow {
  @Mapped(providerKey(), 'Key of the provider. Cannot be changed later.', { example: 'openai', once: true })
  provider?: string;

  @Column('uuid', { name: 'provider_id' })
  providerId!: string;

  @Attribute(
    text({ min: 1, max: 100, pattern: /^\S+$/, form: 'without white space' }),
    'Name of the model at its provider. Cannot be changed later.',
    { example: 'small-model-2026-08', once: true },
  )
  key!: string;

  @Attribute(name(), 'Name for people; the key if you send none.', { example: 'Small model', optional: true })
  name!: string;

  @Attribute(integer({ min: 1_024, max: 100_000_000 }), 'Most tokens of a request together with its answer.', {
    example: 128_000,
  })
  contextTokens!: number;

  @Attribute(integer({ min: 64, max: 10_000_000 }), 'Most tokens of an answer.', { example: 16_384 })
  maxOutputTokens!: number;

  @Derived(nested(PriceView), 'Price in force. A model without one, null, is not used.', {
    example: PRICE,
    nullable: true,
  })
  price?: PriceView | null;

  @Mapped(
    listOf(nested(PriceView), { max: MAX_PRICES }),
    'Prices, the oldest first; they never change. Those of a patch are added to those that there are. A model is not used before one of them is in force.',
    { example: [PRICE], given: listOf(nested(NewPrice), { max: 10 }), optional: true },
  )
  prices?: PriceView[];

  @Mapped(regions, 'Regions in which it processes data; that of its provider if empty.', {
    example: ['eu'],
    optional: true,
  })
  @Column('text', { array: true })
  regions!: string[];

  @Mapped(capabilities, 'Abilities beyond text; both if you send none.', { example: ['tools', 'json'], optional: true })
  @Column('text', { array: true })
  capabilities!: Capability[];

  @Attribute(flag(), 'Set to true to make it the default of the tenant in the place of another.', {
    example: false,
    default: false,
  })
  isDefault!: boolean;
}

/** A model as the API shows it. */
export type AiModelView = Omit<MaybeBuiltIn<AiModel>, 'providerId' | 'price' | 'prices' | 'provider'> &
  Required<Pick<AiModel, 'price' | 'prices' | 'provider'>>;

export const models = governedType(AiModel, {
  type: 'ai.model',
  noun: 'model',
  table: 'data.ai_models',
  path: '/api/ai/models',
  risk: 'high',
  keepsDeleted: true,
  limit: { max: MAX_MODELS, detail: `A tenant can have ${MAX_MODELS} models.` },
  events: {
    created: 'An AI model was added.',
    updated: 'An AI model, or its prices, changed.',
    deleted: 'An AI model was deleted.',
  },
});
