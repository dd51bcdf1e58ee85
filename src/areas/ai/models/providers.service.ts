import { Injectable } from '@nestjs/common';
import { AnthropicProvider } from '#libs/ai/anthropic.js';
import type { ProviderConnection } from '#libs/ai/connection.js';
import { LocalProvider } from '#libs/ai/local/local-provider.js';
import { OpenAiProvider } from '#libs/ai/openai.js';
import { type AiProvider as Client, type Completion, type ModelCall, ProviderError } from '#libs/ai/provider.js';
import { OutboundClient } from '#libs/outbound/outbound-client.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { byName } from '#libs/resource/lists/named-list.js';
import { pageOfAll } from '#libs/resource/lists/page-of-all.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { Secrets } from '#src/areas/vault/secrets/secret-values.service.js';
import { LOCAL, LOCAL_PROVIDER } from './built-in.js';
import { ModelsRepository } from './models.repository.js';
import { type AiProvider, type AiProviderView, providers } from './provider.js';
import type { AiProviderList, AiProviderQuery } from './provider.requests.js';
import { ProvidersRepository } from './providers.repository.js';

const CLIENTS = { openai: OpenAiProvider, anthropic: AnthropicProvider };

/** The providers of a tenant, including the built-in one, and the connections to them. */
@Injectable()
export class Providers {
  readonly objects: GovernedObjects<AiProvider, AiProviderView>;
  private readonly local = new LocalProvider();

  constructor(
    kit: ResourceKit,
    private readonly repository: ProvidersRepository,
    private readonly models: ModelsRepository,
    private readonly secrets: Secrets,
    private readonly client: OutboundClient,
    private readonly cursors: Cursors,
  ) {
    this.objects = new GovernedObjects(providers, kit, this, repository);
  }

  /** The providers with the built-in one, which has no row. */
  async list(query: AiProviderQuery): Promise<AiProviderList> {
    return pageOfAll(byName(await this.all(), query), query, this.cursors, [providers.type]);
  }

  async all(): Promise<AiProviderView[]> {
    return [LOCAL_PROVIDER, ...this.show(await this.repository.list())];
  }

  /** @throws Problem 404. */
  async get(id: string): Promise<AiProviderView> {
    return id === LOCAL_PROVIDER.id ? LOCAL_PROVIDER : this.objects.get(id);
  }

  show(rows: readonly AiProvider[]): AiProviderView[] {
    return rows.map((row) => ({ ...this.objects.view(row), ...this.derive() }));
  }

  derive() {
    return { isBuiltIn: false };
  }

  /**
   * A connection to a provider, with its decrypted key. For one job, never cached; not inside a transaction.
   * @throws ProviderError if the provider does not exist or is disabled, or its key no longer exists.
   */
  async open(key: string): Promise<Client> {
    if (key === LOCAL) return this.local;
    const row = await this.repository.findKey(key);
    if (!row?.enabled)
      throw new ProviderError('provider_request_refused', 'The provider is not used any more.', false, false);
    const keys = row.secretName === null ? [null] : await this.secrets.use(row.secretName);
    if (keys.length === 0)
      throw new ProviderError(
        'provider_credentials_refused',
        'The secret of the provider is gone or expired.',
        false,
        false,
      );
    const takers = await this.schemaTakers(row.id);
    const { baseUrl, isIdempotent } = row;
    const connection: Omit<ProviderConnection, 'key'> = {
      baseUrl,
      isIdempotent,
      takesSchema: (model) => takers.has(model),
      client: this.client,
    };
    const made = keys.map((value) => new CLIENTS[row.api]({ ...connection, key: value }));
    return made.length === 1 ? made[0]! : new Fallback(made);
  }

  private async schemaTakers(providerId: string): Promise<Set<string>> {
    const models = await this.models.list();
    return new Set(
      models
        .filter((model) => model.providerId === providerId && model.capabilities.includes('json'))
        .map(({ key }) => key),
    );
  }
}

/** A provider whose key was rotated recently: if it rejects the new key, the previous one is used. */
class Fallback implements Client {
  readonly isIdempotent: boolean;

  constructor(private readonly providers: readonly Client[]) {
    this.isIdempotent = providers.every((provider) => provider.isIdempotent);
  }

  async complete(call: ModelCall, signal: AbortSignal): Promise<Completion> {
    const [last, ...before] = [...this.providers].reverse();
    for (const provider of before.reverse())
      try {
        return await provider.complete(call, signal);
      } catch (error) {
        if (!(error instanceof ProviderError) || error.fault !== 'provider_credentials_refused') throw error;
      }
    return last!.complete(call, signal);
  }
}
