import { Inject, Injectable } from '@nestjs/common';
import { KINDS } from '#libs/ai/kinds/kinds.js';
import { type ModelPrice, priceAt } from '#libs/ai/price.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Clock } from '#libs/kernel/clock.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { Problem } from '#libs/kernel/problem.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { byName } from '#libs/resource/lists/named-list.js';
import { pageOfAll } from '#libs/resource/lists/page-of-all.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { localModel } from './built-in.js';
import { type AiModel, type AiModelView, models } from './model.js';
import type { AiKindView, AiModelList, AiModelQuery } from './model.requests.js';
import { ModelsRepository, type StoredModel } from './models.repository.js';
import type { ProviderApi } from './provider.js';

/** A model that can be called. */
export interface ModelOffer {
  /** Key of its provider. */
  provider: string;
  /** Its key. */
  model: string;
  api: ProviderApi;
  /** Regions where it processes data; empty if unknown. */
  regions: readonly string[];
  contextTokens: number;
  maxOutputTokens: number;
  capabilities: readonly ('tools' | 'json')[];
  /** Current price; the model cannot be used if this is null. */
  price: ModelPrice | null;
}

const KIND_VIEWS: AiKindView[] = [...KINDS.values()].map((kind) => {
  const { key, title, description, inputSchema, outputSchema, promptMember, targets } = kind;
  return {
    key,
    title,
    description,
    inputSchema,
    outputSchema: outputSchema ?? { type: 'string' },
    promptMember,
    targetObjects: targets.objects === 'any' ? null : [...targets.objects],
    minTargets: targets.min,
    maxTargets: targets.max,
  };
});

/** The models of a tenant, including the built-in one. */
@Injectable()
export class Models {
  readonly objects: GovernedObjects<AiModel>;

  constructor(
    kit: ResourceKit,
    @Inject(SETTINGS_TOKEN) private readonly settings: Pick<Settings, 'AI_LOCAL_PRICE_MICROS_PER_1K'>,
    private readonly repository: ModelsRepository,
    private readonly clock: Clock,
    private readonly cursors: Cursors,
  ) {
    this.objects = new GovernedObjects(models, kit, {}, repository);
  }

  /** All models, and the kinds of jobs. */
  async list(query: AiModelQuery): Promise<AiModelList> {
    const { provider, enabled } = query;
    const found = (await this.views()).filter(
      (model) =>
        (provider === undefined || model.provider === provider) && (enabled === undefined || model.enabled === enabled),
    );
    const { data, page } = pageOfAll(byName(found, query), query, this.cursors, [models.type]);
    return { data, page, kinds: KIND_VIEWS };
  }

  /** @throws Problem 404. */
  async get(id: string): Promise<AiModelView> {
    const found = (await this.views()).find((model) => model.id === id);
    if (!found) throw Problem.notFound();
    return found;
  }

  /** A model as the API shows it. */
  shown(row: StoredModel, at = this.clock.now().toISOString()): StoredModel & AiModelView {
    const price = priceAt(row.prices, at);
    return { ...row, object: models.type, price, isBuiltIn: false };
  }

  /** Every enabled model of an enabled provider, the built-in one first. */
  async offers(): Promise<(ModelOffer & { isDefault: boolean })[]> {
    const rows = await this.repository.list();
    const used = rows.filter(({ enabled, providerEnabled }) => enabled && providerEnabled);
    const { isDefault, ...local } = this.local(!used.some((row) => row.isDefault));
    const views = used.map((row) => ({ api: row.api, isDefault: row.isDefault, ...offerOf(this.shown(row), row) }));
    return [{ api: 'local', isDefault, ...offerOf({ ...local, isDefault }, null) }, ...views];
  }

  /**
   * Finds a model by its keys. Without a provider: the only model with the key. Without a model: the provider's
   * default, which is the tenant's default if it belongs to this provider, else the first by key. Without both: the
   * tenant's default, or the built-in one. Null if the model does not exist or is disabled, or if two providers have
   * the key.
   */
  async find(provider: string | null, model: string | null): Promise<ModelOffer | null> {
    const known = await this.offers();
    const fitting = known.filter(
      (offer) => (provider === null || offer.provider === provider) && (model === null || offer.model === model),
    );
    if (provider === null && model !== null) return fitting.length === 1 ? bare(fitting[0]!) : null;
    const found = fitting.find(({ isDefault }) => isDefault) ?? fitting[0];
    return found ? bare(found) : null;
  }

  private async views(): Promise<AiModelView[]> {
    const rows = await this.repository.list();
    const ofTenant = rows.map((row) => this.shown(row));
    return [this.local(!ofTenant.some(({ isDefault }) => isDefault)), ...ofTenant];
  }

  private local(isDefault: boolean): AiModelView {
    return localModel(this.settings.AI_LOCAL_PRICE_MICROS_PER_1K, isDefault);
  }
}

/** A model without regions uses those of its provider. */
function offerOf(view: AiModelView, row: StoredModel | null): Omit<ModelOffer, 'api'> {
  const { provider, key: model, contextTokens, maxOutputTokens, capabilities, price } = view;
  const ofProvider = row?.providerRegion ? [row.providerRegion] : [];
  const regions = view.regions.length > 0 ? view.regions : ofProvider;
  return { provider, model, regions, contextTokens, maxOutputTokens, capabilities, price };
}

function bare({ isDefault: _isDefault, ...offer }: ModelOffer & { isDefault: boolean }): ModelOffer {
  return offer;
}
