import { isDeepStrictEqual } from 'node:util';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { requirePermission } from '#libs/auth/current-principal.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { fieldsOf } from '#libs/http/field.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { Commits } from '#libs/resource/commits.js';
import { Gates, Parked } from '#libs/resource/gates.js';
import { rehearse } from '#libs/resource/rehearsal.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { CompleteGate } from '#libs/settings/gate.model.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { BuiltInChanges } from './built-in-changes.js';
import {
  AiModelView,
  CAPABILITIES,
  type CreateAiModel,
  MAX_MODELS,
  MODEL_TYPE,
  MODELS_PATH,
  type ModelPatch,
  UpdateAiModel,
} from './model.dto.js';
import { checkWhole, pricesOf, unknownProvider } from './model-rules.js';
import type { ChangeVerb } from './models.events.js';
import { ModelsRepository, type StoredModel } from './models.repository.js';
import { Models } from './models.service.js';
import type { DeletedAiRecord } from './provider.dto.js';
import { ProvidersRepository } from './providers.repository.js';

/** The gate in front of every price, also the first ones of a new model. */
const PRICE_GATE = 'ai.price.change';
const PERMISSION = 'ai-policy:manage';

/** The models that a tenant lets jobs use, and what they cost, as administrators say. */
@Injectable()
export class ModelChangesService extends BuiltInChanges<StoredModel, AiModelView> implements OnModuleInit {
  protected override readonly type = MODEL_TYPE;
  protected override readonly noun = 'model';
  protected override readonly path = MODELS_PATH;

  constructor(
    protected override readonly repository: ModelsRepository,
    private readonly providers: ProvidersRepository,
    private readonly models: Models,
    protected override readonly commits: Commits,
    private readonly gates: Gates,
    private readonly registry: ResourceRegistry,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super();
  }

  onModuleInit(): void {
    const fields = new Set([...fieldsOf(AiModelView).keys(), ...fieldsOf(UpdateAiModel).keys()]);
    this.registry.addCommands({ type: MODEL_TYPE, gate: PRICE_GATE, fields: [...fields], executor: this });
  }

  /**
   * Where prices need approval, the model is made without them, and is not used before they are approved.
   * @throws Problem 400, 403 `gate_denied`, 409 `limit_reached` or `duplicate`.
   */
  async create(input: CreateAiModel): Promise<AiModelView | Parked> {
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
      const gate = await this.gateOf(row, input);
      if (gate) {
        const unpriced = { ...row, prices: [], isDefault: false };
        const view = this.record(transaction, 'created', null, unpriced);
        return this.park(
          transaction,
          gate,
          unpriced,
          { prices: input.prices, ...(isDefault ? { isDefault } : {}) },
          view,
        );
      }
      await this.replaceDefault(transaction, row);
      return this.record(transaction, 'created', null, row);
    });
  }

  /**
   * Prices of a patch are added to those that there are; where these need approval, the whole patch waits for it.
   * @throws Problem 400, 403 `gate_denied`, 404, 409 `record_locked` or `approval_pending`, 412.
   */
  async update(id: string, patch: ModelPatch): Promise<AiModelView | Parked> {
    return this.database.transaction(async (transaction) => {
      const before = await this.lock(transaction, id);
      const gate = await this.gateOf(before, patch);
      if (!gate) return this.apply(transaction, before, patch);
      return this.park(transaction, gate, before, patch, this.models.present(before));
    });
  }

  /** Makes a change that has been approved, as who asked for it. @throws Problem as {@link update}, 409 `stale_target`. */
  async execute(_action: string, id: string, patch: ModelPatch, version: number): Promise<AiModelView> {
    return this.database.transaction(async (transaction) => {
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

  private async apply(
    transaction: Transaction,
    before: StoredModel,
    { prices: added = [], ...patch }: ModelPatch,
  ): Promise<AiModelView> {
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
  }

  /** The gate at which prices have to wait; null where they may pass, or there are none. */
  private async gateOf(row: StoredModel, patch: ModelPatch): Promise<CompleteGate | null> {
    if (!patch.prices?.length) return null;
    return this.gates.holding(PRICE_GATE, () => ({ ...this.models.present(row), ...patch }));
  }

  /** Has a patch wait that could be applied now. */
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
      object: MODEL_TYPE,
      row,
      input: { ...patch },
    });
    return new Parked(approval, view);
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
