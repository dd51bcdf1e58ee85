import {
  constant,
  Field,
  flag,
  id,
  listOf,
  name,
  nested,
  oneOf,
  text,
  fieldsOf,
  type ModelClass,
} from '#libs/http/field.js';
import { asksForNames } from '#libs/resource/named-list.js';
import { ShortListQuery } from '#libs/resource/page-query.js';
import { model, PageInfo } from '#libs/resource/record.dto.js';
import { MaybeBuiltIn } from './built-in.dto.js';

/** Type key of providers; also the beginning of their event types. */
export const PROVIDER_TYPE = 'ai.provider';
/** Path of the providers in the API. */
export const PROVIDERS_PATH = '/api/ai/providers';

/** Protocols that providers speak. `local` is built in and has no address. */
export const PROVIDER_APIS = ['openai', 'anthropic'] as const;
export type ProviderApi = (typeof PROVIDER_APIS)[number] | 'local';

/** Providers of one tenant, beside the built-in one. */
export const MAX_PROVIDERS = 50;

export const providerKey = () =>
  text({
    min: 1,
    max: 100,
    pattern: /^[a-z0-9][a-z0-9._-]*$/,
    form: 'lower-case letters, digits, dots, underscores and hyphens, with a letter or digit first',
  });
export const region = () =>
  text({
    min: 1,
    max: 40,
    pattern: /^[a-z0-9][a-z0-9-]*$/,
    form: 'lower-case letters, digits and hyphens, with a letter or digit first',
  });
/** As the administration of secrets has it. */
const secretName = () =>
  text({ min: 1, max: 100, pattern: /^[A-Z0-9_./-]+$/, form: 'capital letters, digits and the characters _ . / -' });
const baseUrl = () => text({ min: 1, max: 2_048 });

export class CreateAiProvider {
  @Field(providerKey(), { description: 'Key that agents, jobs and policies name it by.', example: 'openai' })
  key!: string;

  @Field(oneOf(PROVIDER_APIS), {
    description: 'Protocol: chat completions as OpenAI, or messages as Anthropic.',
    example: 'openai',
  })
  api!: (typeof PROVIDER_APIS)[number];

  @Field(name(), {
    description: 'What people recognise it by; the key if not given.',
    example: 'OpenAI, EU',
    optional: true,
  })
  name!: string;

  @Field(baseUrl(), {
    description:
      'Address that paths such as `/chat/completions` or `/v1/messages` are added to. It has to be public, or in a network that the operator allows.',
    example: 'https://api.provider.example/v1',
  })
  baseUrl!: string;

  @Field(secretName(), {
    description:
      'Secret that has its key; null if it asks for none. Setting it, or the address of a provider with a key, takes the scope secrets:manage and is a protected operation.',
    example: 'AI/OPENAI_KEY',
    optional: true,
    nullable: true,
  })
  secretName!: string | null;

  @Field(region(), {
    description: 'Where it works on what it is sent, for models that name no regions.',
    example: 'eu',
    optional: true,
    nullable: true,
  })
  region!: string | null;

  @Field(flag(), {
    description:
      'Whether it answers a repeated `Idempotency-Key` without doing the work again. Say so only if its documentation does: a call whose outcome is not known is then made again.',
    optional: true,
  })
  isIdempotent!: boolean;

  @Field(flag(), { description: 'Whether it is used; true if not given.', example: true, optional: true })
  enabled!: boolean;
}

/** A merge patch of a create model, without the members that stay as they are. */
export function patchOf(className: string, create: ModelClass, fixed: readonly string[]): ModelClass {
  const fields = [...fieldsOf(create)].filter(([field]) => !fixed.includes(field));
  return model(className, Object.fromEntries(fields.map(([field, spec]) => [field, { ...spec, optional: true }])));
}

/** A merge patch. Key and protocol stay as they are. */
export const UpdateAiProvider = patchOf('UpdateAiProvider', CreateAiProvider, ['key', 'api']);
export type ProviderPatch = Partial<Omit<CreateAiProvider, 'key' | 'api'>>;

export class AiProviderView extends MaybeBuiltIn {
  @Field(constant(PROVIDER_TYPE), { description: 'Type of the record.', example: PROVIDER_TYPE })
  object!: string;

  @Field(providerKey(), { description: 'Key that agents, jobs and policies name it by.', example: 'openai' })
  key!: string;

  @Field(name(), { description: 'What people recognise it by.', example: 'OpenAI, EU' })
  name!: string;

  @Field(oneOf(['local', ...PROVIDER_APIS]), {
    description: 'Protocol; `local` works inside the server.',
    example: 'openai',
  })
  api!: ProviderApi;

  @Field(baseUrl(), {
    description: 'Its address; null for the built-in one.',
    example: 'https://api.provider.example/v1',
    nullable: true,
  })
  baseUrl!: string | null;

  @Field(secretName(), { description: 'Secret that has its key.', example: 'AI/OPENAI_KEY', nullable: true })
  secretName!: string | null;

  @Field(region(), { description: 'Where it works on what it is sent.', example: 'eu', nullable: true })
  region!: string | null;

  @Field(flag(), { description: 'Whether it answers a repeated `Idempotency-Key` without doing the work again.' })
  isIdempotent!: boolean;
}

export class AiProviderQuery extends ShortListQuery {}
asksForNames(AiProviderQuery, 'the built-in one first, then by key');

export class AiProviderList {
  @Field(listOf(nested(AiProviderView), { max: MAX_PROVIDERS + 1 }), {
    description: 'The built-in one first, then by key.',
  })
  data!: AiProviderView[];

  @Field(nested(PageInfo), { description: 'How to go on.' })
  page!: PageInfo;
}

export class DeletedAiRecord {
  @Field(id(), { description: 'Id of what was deleted.' })
  id!: string;

  @Field(flag(), { description: 'Always true.', example: true })
  deleted!: boolean;
}
