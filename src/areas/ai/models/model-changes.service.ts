import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { ModelPrice } from '#libs/ai/price.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import { Commits } from '#libs/resource/commits.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { BuiltInChanges } from './built-in-changes.js';
import {
  type AiModelView,
  CAPABILITIES,
  type CreateAiModel,
  MAX_MODELS,
  MAX_PRICES,
  MODEL_TYPE,
  type ModelPatch,
  type NewPrice,
} from './model.dto.js';
import type { ChangeVerb } from './models.events.js';
import { ModelsRepository, type StoredModel } from './models.repository.js';
import { Models } from './models.service.js';
import type { DeletedAiRecord } from './provider.dto.js';
import { ProvidersRepository } from './providers.repository.js';

/** The models that a tenant lets jobs use, and what they cost, as administrators say. */
@Injectable()
export class ModelChangesService extends BuiltInChanges<StoredModel, AiModelView> {
  protected override readonly type = MODEL_TYPE;
  protected override readonly noun = 'model';
  protected override readonly path = '/api/ai/models';

  constructor(
    protected override readonly repository: ModelsRepository,
    private readonly providers: ProvidersRepository,
    private readonly models: Models,
    protected override readonly commits: Commits,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super();
  }

  /** @throws Problem 400, 409 `limit_reached` or `duplicate`. */
  async create(input: CreateAiModel): Promise<AiModelView> {
    const { key, name = key, contextTokens, maxOutputTokens, regions = [], capabilities = [...CAPABILITIES] } = input;
    const { enabled = true, isDefault = false } = input;
    const at = this.now();
    const prices = pricesOf(input.prices ?? [], [], at, null);
    return this.database.transaction(async (transaction) => {
      const provider = await this.providers.share(transaction, input.provider);
      if (!provider) throw Problem.validation([unknownProvider()]);
      const existing = await this.repository.list();
      if (existing.length >= MAX_MODELS) throw new Problem('limit_reached', `A tenant can have ${MAX_MODELS} models.`);
      if (existing.some((model) => model.providerId === provider.id && model.key === key))
        throw new Problem('duplicate', 'The provider has a model with this key.', { extensions: { field: 'key' } });
      const row: StoredModel = {
        id: uuidv7(),
        providerId: provider.id,
        provider: provider.key,
        api: provider.api,
        providerRegion: provider.region,
        providerEnabled: provider.enabled,
        key,
        name,
        contextTokens,
        maxOutputTokens,
        prices,
        regions,
        capabilities,
        enabled,
        isDefault,
        version: 1,
        createdAt: at,
        createdBy: currentScope().actor,
        updatedAt: at,
      };
      checkWhole(row);
      await this.replaceDefault(transaction, row);
      return this.record(transaction, 'created', null, row);
    });
  }

  /** Prices of a patch are added to those that there are. @throws Problem 400, 404, 409 `record_locked`, 412. */
  async update(id: string, { prices: added = [], ...patch }: ModelPatch): Promise<AiModelView> {
    return this.database.transaction(async (transaction) => {
      const before = await this.lock(transaction, id);
      const at = this.now();
      const prices = pricesOf(added, before.prices, at, at);
      const changed = { ...before, ...patch, prices };
      // Switching off the default model leaves the built-in one as the default.
      if (!changed.enabled && patch.isDefault === undefined) changed.isDefault = false;
      if (isDeepStrictEqual(changed, before)) return this.models.present(before);
      const after = { ...changed, version: before.version + 1, updatedAt: at };
      checkWhole(after);
      await this.replaceDefault(transaction, after);
      return this.record(transaction, 'updated', before, after);
    });
  }

  /** @throws Problem 404, 409 `in_use` or `record_locked`, 412. */
  async remove(id: string): Promise<DeletedAiRecord> {
    return this.database.transaction((transaction) =>
      this.bury(transaction, id, { isDefault: false, updatedAt: this.now() }),
    );
  }

  protected override present(row: StoredModel): AiModelView {
    return this.models.present(row);
  }

  protected override record(
    transaction: Transaction,
    verb: ChangeVerb,
    before: StoredModel | null,
    after: StoredModel,
  ): AiModelView {
    const view = super.record(transaction, verb, before, after);
    const known = new Set(before?.prices.map(({ from }) => from));
    for (const price of after.prices.filter(({ from }) => !known.has(from)))
      transaction.write(this.repository.addPrice(after.id, price, after.updatedAt, currentScope().actor));
    return view;
  }

  /** A tenant has one default model: the one before is not it any more. */
  private async replaceDefault(transaction: Transaction, { id, isDefault }: StoredModel): Promise<void> {
    if (!isDefault) return;
    const other = (await this.repository.list()).find((model) => model.isDefault && model.id !== id);
    if (!other) return;
    const before = (await this.repository.lock(transaction, other.id))!;
    const after = { ...before, isDefault: false, version: before.version + 1, updatedAt: this.now() };
    this.record(transaction, 'updated', before, after);
  }

  private now(): string {
    return (currentScope().stampedAt ??= this.clock.now().toISOString());
  }
}

/** All prices, the oldest first. None may begin before `earliest`, or when another one does. */
function pricesOf(
  added: readonly NewPrice[],
  known: readonly ModelPrice[],
  at: string,
  earliest: string | null,
): ModelPrice[] {
  const all = [...known];
  const violations: Violation[] = [];
  for (const [index, price] of added.entries()) {
    const from = price.from === undefined ? at : new Date(price.from).toISOString();
    const pointer = `/prices/${index}/from`;
    if (earliest !== null && from < earliest)
      violations.push({ pointer, code: 'out_of_range', detail: 'A price cannot begin in the past.' });
    if (all.some((other) => other.from === from))
      violations.push({ pointer, code: 'not_unique', detail: 'Another price begins then.' });
    const { inputMicrosPer1k, outputMicrosPer1k, cachedMicrosPer1k = inputMicrosPer1k } = price;
    all.push({ from, inputMicrosPer1k, outputMicrosPer1k, cachedMicrosPer1k });
  }
  if (all.length > MAX_PRICES)
    violations.push({ pointer: '/prices', code: 'too_many', detail: `A model can have ${MAX_PRICES} prices.` });
  if (violations.length > 0) throw Problem.validation(violations);
  return all.sort((a, b) => (a.from < b.from ? -1 : 1));
}

/** What members of a model have to say together. */
function checkWhole({ contextTokens, maxOutputTokens, enabled, isDefault }: StoredModel): void {
  const violations: Violation[] = [];
  if (maxOutputTokens > contextTokens)
    violations.push({ pointer: '/maxOutputTokens', code: 'out_of_range', detail: 'It may be at most contextTokens.' });
  if (isDefault && !enabled)
    violations.push({
      pointer: '/isDefault',
      code: 'invalid_value',
      detail: 'A model that is not used cannot be the default.',
    });
  if (violations.length > 0) throw Problem.validation(violations);
}

function unknownProvider(): Violation {
  return { pointer: '/provider', code: 'unknown_reference', detail: 'There is no such provider of the tenant.' };
}
