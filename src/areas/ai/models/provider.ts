import { Column } from 'typeorm';
import { flag, name, oneOf, text } from '#libs/http/field.js';
import { secretName } from '#libs/http/secret-field.js';
import { Attribute, Mapped } from '#libs/resource/types/attribute.js';
import { governedType } from '#libs/resource/types/governed-type.js';
import { type MaybeBuiltIn, MaybeBuiltInRow } from './maybe-built-in.js';

/** Protocols that providers speak. `local` is built in and has no address. */
export const PROVIDER_APIS = ['openai', 'anthropic'] as const;
export type ProviderApi = (typeof PROVIDER_APIS)[number] | 'local';

/** Maximum number of providers per tenant, without the built-in one. */
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

/** A service that runs a tenant's AI jobs. */
export class AiProvider extends MaybeBuiltInRow {
  @Attribute(providerKey(), 'Key by which agents, jobs and policies name the provider. Cannot be changed later.', {
    example: 'openai',
    once: true,
  })
  key!: string;

  @Attribute(
    oneOf(['local', ...PROVIDER_APIS]),
    'Protocol: chat completions as OpenAI, or messages as Anthropic. `local` is that of the built-in provider.',
    { example: 'openai', given: oneOf(PROVIDER_APIS), once: true },
  )
  api!: (typeof PROVIDER_APIS)[number];

  @Attribute(name(), 'Name for people; the key if you send none.', { example: 'OpenAI, EU', optional: true })
  name!: string;

  @Mapped(
    text({ min: 1, max: 2_048 }),
    'Address to which paths such as `/chat/completions` or `/v1/messages` are added. It has to be public, or in a network that the operator allows. Null for the built-in provider.',
    { example: 'https://api.provider.example/v1', nullable: 'shown' },
  )
  @Column('text', { name: 'base_url' })
  baseUrl!: string;

  @Attribute(
    secretName(),
    'Secret with the key of the provider; null if it needs none. Setting it, or the address of a provider with a key, requires the scope secrets:manage and is a protected operation.',
    { example: 'AI/OPENAI_KEY', nullable: true },
  )
  secretName!: string | null;

  @Attribute(region(), 'Region in which it processes data, for models that name no regions.', {
    example: 'eu',
    nullable: true,
  })
  region!: string | null;

  @Attribute(
    flag(),
    'Set to true only if the documentation of the provider says that it answers a repeated `Idempotency-Key` without doing the work again: a call whose outcome is not known is then made again.',
    { example: false, default: false },
  )
  isIdempotent!: boolean;
}

/** A provider as the API shows it. */
export type AiProviderView = Omit<MaybeBuiltIn<AiProvider>, 'api' | 'baseUrl'> & {
  api: ProviderApi;
  baseUrl: string | null;
};

export const providers = governedType(AiProvider, {
  type: 'ai.provider',
  noun: 'provider',
  table: 'data.ai_providers',
  path: '/api/ai/providers',
  risk: 'high',
  keepsDeleted: true,
  limit: { max: MAX_PROVIDERS, detail: `A tenant can have ${MAX_PROVIDERS} providers.` },
  events: {
    created: 'An AI provider was added.',
    updated: 'An AI provider changed.',
    deleted: 'An AI provider was deleted.',
  },
});
