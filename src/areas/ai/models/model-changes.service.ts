import { Injectable, type OnModuleInit } from '@nestjs/common';
import { requirePermission } from '#libs/auth/current-principal.js';
import type { ModelPrice } from '#libs/ai/price.js';
import type { Transaction } from '#libs/database/transaction.js';
import { fieldsOf } from '#libs/http/field.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { Gates, Parked } from '#libs/resource/gates/gates.js';
import { rehearse } from '#libs/resource/records/rehearsal.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { CompleteGate } from '#libs/settings/gate.model.js';
import type { Deleted } from '#libs/resource/types/record.dto.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { refuseBuiltIn, refuseUsed } from './built-in.js';
import { type AiModelView, CAPABILITIES, models } from './model.js';
import type { ModelPatch, NewModel } from './model.requests.js';
import { checkWhole, pricesOf, unknownProvider } from './model-rules.js';
import { ModelsRepository, type StoredModel } from './models.repository.js';
import { Models } from './models.service.js';
import { ProvidersRepository } from './providers.repository.js';

/** The gate for every price change, including the first prices of a new model. */
const PRICE_GATE = 'ai.price.change';
const PERMISSION = 'ai-policy:manage';

/** Administration of the models that jobs of a tenant may use, and of their prices. */
@Injectable()
export class ModelChangesService implements OnModuleInit {
  constructor(
    private readonly repository: ModelsRepository,
    private readonly providers: ProvidersRepository,
    private readonly models: Models,
    private readonly gates: Gates,
    private readonly registry: ResourceRegistry,
  ) {}

  onModuleInit(): void {
    const fields = new Set([...fieldsOf(models.view).keys(), ...fieldsOf(models.update).keys()]);
    this.registry.addCommands({ type: models.type, gate: PRICE_GATE, fields: [...fields], executor: this });
  }

  /**
   * If prices require approval, the model is created without them and cannot be used until they are approved.
   * @throws Problem 400, 403 `gate_denied`, 409 `limit_reached` or `duplicate`.
   */
  async create(input: NewModel): Promise<AiModelView | Parked> {
    const { key, name = key, contextTokens, maxOutputTokens, regions = [], capabilities = [...CAPABILITIES] } = input;
    const { enabled = true, isDefault = false } = input;
    const { objects } = this.models;
    const prices = pricesOf(input.prices ?? [], [], objects.now(), null);
    return objects.unit(async (transaction) => {
      const provider = await this.providers.lockKey(transaction, input.provider);
      if (!provider) throw Problem.validation([unknownProvider()]);
      await objects.refuseBeyondLimit();
      const existing = await this.repository.list();
      if (existing.some((model) => model.providerId === provider.id && model.key === key))
        throw new Problem('duplicate', 'The provider has a model with this key.', { extensions: { field: 'key' } });
      const ofProvider = { provider: provider.key, providerRegion: provider.region, providerEnabled: provider.enabled };
      const row: StoredModel = {
        ...this.repository.blank(),
        ...{ ...ofProvider, providerId: provider.id, api: provider.api },
        ...{ key, name, contextTokens, maxOutputTokens, prices, regions, capabilities, enabled, isDefault },
        ...{ id: uuidv7(), version: 1, createdBy: currentScope().actor },
      };
      checkWhole(row);
      const gate = await this.gateOf(row, input);
      if (!gate) return this.add(transaction, row);
      const view = await this.add(transaction, { ...row, prices: [], isDefault: false });
      const waiting = { prices: input.prices!, ...(isDefault ? { isDefault } : {}) };
      return this.park(transaction, gate, view, waiting, view);
    });
  }

  /**
   * Prices of a patch are added to the existing ones. If they require approval, the whole patch waits for it.
   * @throws Problem 400, 403 `gate_denied`, 404, 409 `record_locked` or `approval_pending`, 412.
   */
  async update(id: string, patch: ModelPatch): Promise<AiModelView | Parked> {
    return this.models.objects.unit(async (transaction) => {
      const before = await this.lock(transaction, id);
      const gate = await this.gateOf(before, patch);
      if (!gate) return this.apply(transaction, before, patch);
      return this.park(transaction, gate, before, patch, this.models.shown(before));
    });
  }

  /** Applies an approved change, as the requester. @throws Problem as {@link update}, 409 `stale_target`. */
  async execute(_action: string, id: string, patch: ModelPatch, version: number): Promise<AiModelView> {
    return this.models.objects.unit(async (transaction) => {
      requirePermission(PERMISSION);
      const row = await this.lock(transaction, id);
      if (row.version !== version)
        throw new Problem('stale_target', 'The model has changed since approval was asked for.');
      return this.apply(transaction, row, patch);
    });
  }

  translate(error: unknown): unknown {
    return error;
  }

  /** @throws Problem 404, 409 `in_use` or `record_locked`, 412. */
  async remove(id: string): Promise<Deleted> {
    const { objects } = this.models;
    return objects.unit(async (transaction) => {
      const row = this.models.shown(await this.lock(transaction, id));
      refuseUsed(await this.repository.usedBy(transaction, row), models.noun);
      const deletedAt = objects.now();
      objects.change(transaction, row, { isDefault: false, enabled: false, deletedAt }, 'deleted');
      return objects.deleted(id, deletedAt);
    });
  }

  /** A model of the tenant, locked. @throws Problem 404, 409 `record_locked`, 412. */
  private async lock(transaction: Transaction, id: string): Promise<StoredModel> {
    refuseBuiltIn(id, models.noun);
    await this.models.objects.lock(transaction, id);
    return this.repository.read(transaction, id);
  }

  private async add(transaction: Transaction, row: StoredModel): Promise<StoredModel & AiModelView> {
    await this.replaceDefault(transaction, row);
    const added = { ...row, ...this.models.objects.add(transaction, this.models.shown(row)) };
    this.addPrices(transaction, added, []);
    return this.models.shown(added);
  }

  private async apply(
    transaction: Transaction,
    row: StoredModel,
    { prices: added = [], ...patch }: ModelPatch,
  ): Promise<AiModelView> {
    const { objects } = this.models;
    const at = objects.now();
    const before = this.models.shown(row, at);
    const prices = pricesOf(added, before.prices, at, at);
    const after = this.models.shown({ ...before, ...patch, prices }, at);
    // If the default model is disabled, the built-in one becomes the default.
    if (!after.enabled && patch.isDefault === undefined) after.isDefault = false;
    checkWhole(after);
    await this.replaceDefault(transaction, after);
    const changed = { ...after, ...objects.change(transaction, before, after) };
    this.addPrices(transaction, changed, before.prices);
    return changed;
  }

  private addPrices(transaction: Transaction, { id, prices, updatedAt }: StoredModel, before: ModelPrice[]): void {
    const known = new Set(before.map(({ from }) => from));
    for (const price of prices.filter(({ from }) => !known.has(from)))
      transaction.write(this.repository.addPrice(id, price, updatedAt, currentScope().actor));
  }

  /** The gate at which prices must wait; null if they may pass, or the patch has no prices. */
  private async gateOf(row: StoredModel, patch: ModelPatch): Promise<CompleteGate | null> {
    if (!patch.prices?.length) return null;
    return this.gates.holding(PRICE_GATE, () => ({ ...this.models.shown(row), ...patch }));
  }

  /** Stores a patch until it is approved. */
  private async park(
    transaction: Transaction,
    gate: CompleteGate,
    row: StoredModel,
    patch: ModelPatch,
    view: AiModelView,
  ): Promise<Parked> {
    await rehearse(transaction, () => this.apply(transaction, row, patch));
    const approval = await this.gates.park(transaction, {
      gate,
      operation: 'ai.models.update',
      action: 'update',
      summary: 'Price an AI model',
      permission: PERMISSION,
      object: models.type,
      row,
      input: { ...patch },
    });
    return new Parked(approval, view);
  }

  /** A tenant has one default model, so the previous one loses the flag. */
  private async replaceDefault(transaction: Transaction, { id, isDefault }: StoredModel): Promise<void> {
    if (!isDefault) return;
    const other = (await this.repository.list()).find((model) => model.isDefault && model.id !== id);
    if (!other) return;
    await this.repository.lock(transaction, other.id);
    const before = this.models.shown(await this.repository.read(transaction, other.id));
    this.models.objects.change(transaction, before, { isDefault: false });
  }
}
