import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { LineInput } from '#libs/lines/line.dto.js';
import type { Draft } from '#libs/resource/record.entity.js';
import { visibilityChecks, visibilityChecksOf } from '#libs/resource/references.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ActionHandler } from '#libs/resource/resource-type.js';
import { ResourceService } from '#libs/resource/resource.service.js';
import type { StandardAction } from '#libs/resource/standard-actions.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { ContactsService } from '../contacts/contacts.service.js';
import { PipelinesService } from '../pipelines/pipelines.service.js';
import { type Board, type BoardStage, DEALS_OF_STAGE, onBoard } from './deal.board.js';
import type { ChangeDealPipeline, CreateDeal, DealView, LoseDeal, MoveDeal, ReopenDeal, WinDeal } from './deal.dto.js';
import type { Deal } from './deal.entity.js';
import type { DealAction } from './deal.lifecycle.js';
import {
  largestDiscount,
  linesOf,
  newProducts,
  PRODUCT,
  productChecks,
  type TaxRates,
  valueOfDeal,
} from './deal.lines.js';
import { dealResource } from './deal.resource.js';
import { dealShorthand, refuseMisplaced } from './deal.shorthand.js';
import { closingStage, DAY_MS, enter, overrides, requireFields, stageOf, startingStage } from './deal.stages.js';
import { valueMinorOf, valueOf, weighted } from './deal.value.js';
import { DealsRepository } from './deals.repository.js';

type Input = Record<string, unknown>;
type OwnAction = Exclude<DealAction, StandardAction>;

/** Whether there is such a deal is up to the foreign key. */
const RENEWED = { renewalOfDealId: { table: 'data.sales_deals', where: 'true' } };

/** Why a deal must stay as it is, as a sentence; null when nothing holds it. Runs in the transaction of the change. */
export type DealHold = (dealId: string, action: 'delete' | 'reopen') => Promise<string | null>;

@Injectable()
export class DealsService extends ResourceService<Deal, DealView, DealAction> {
  protected override readonly handlers: Record<OwnAction, ActionHandler<Deal>> = {
    move: (row, input: MoveDeal) => this.move(row, input),
    change_pipeline: (row, input: ChangeDealPipeline) => this.changePipeline(row, input),
    win: (row, input: WinDeal) => this.win(row, input),
    lose: (row, input: LoseDeal) => this.lose(row, input),
    reopen: (row, input: ReopenDeal) => this.reopen(row, input),
  };
  protected override readonly constraints = {
    sales_deals_renewal_of: () => invalid('/renewalOfDealId', 'unknown_reference', 'There is no such deal.'),
    sales_deals_stage_of_pipeline: () => invalid('/stage', 'unknown_stage', 'The stage has just been removed.'),
    sales_deals_contact_of_account: () =>
      invalid('/contactIds', 'contact_of_other_account', 'The contacts of a deal belong to its account or to none.'),
  };
  private readonly holds: DealHold[] = [];
  private taxRates: TaxRates = () => Promise.resolve(new Map());

  constructor(
    kit: ResourceKit,
    protected override readonly repository: DealsRepository,
    private readonly pipelines: PipelinesService,
    private readonly accounts: AccountsService,
    private readonly contacts: ContactsService,
    private readonly settings: TenantSettings,
  ) {
    super(dealResource, kit, repository);
  }

  override onModuleInit(): void {
    super.onModuleInit();
    this.accounts.merging.referredBy(this, 'accountId');
    this.contacts.merging.referredBy({
      noun: 'deals',
      isUsed: (id) => this.repository.hasContact(id),
      move: (from, into) => this.replaceContact(from, into),
    });
  }

  /** Registers somebody who may keep deals from being deleted or opened again. */
  heldBy(hold: DealHold): void {
    this.holds.push(hold);
  }

  /** Says who knows the tax rates that lines can name; until then there are none. */
  taxRatesFrom(rates: TaxRates): void {
    this.taxRates = rates;
  }

  /** The stages of a pipeline, of the default one without an id, with what is in them. */
  async board(pipelineId: string | null): Promise<Board> {
    const pipeline = await this.pipelines.shown(pipelineId);
    if (!pipeline) return { pipelineId: pipelineId!, data: [] };
    const figures = await this.repository.figures(pipeline.id, this.visible());
    const data: BoardStage[] = [];
    for (const stage of pipeline.stages) {
      const own = figures.filter((each) => each.stage === stage.key);
      const query = { pipelineId: pipeline.id, stage: stage.key, limit: DEALS_OF_STAGE };
      data.push(onBoard(stage, own, own.length > 0 ? (await this.list(query)).data : []));
    }
    return { pipelineId: pipeline.id, data };
  }

  /** A patch with `status`, `stage` or `pipelineId` is shorthand for the transition; anything else is an edit. */
  override async update(id: string, patch: Input): Promise<DealView> {
    const shorthand = dealShorthand(patch);
    return shorthand ? this.act(shorthand.action, id, shorthand.input) : super.update(id, patch);
  }

  protected override stateOf(row: Deal): string {
    return row.status;
  }

  protected override stageOf(row: Deal): { stage: string } {
    return { stage: row.stage };
  }

  protected override derive(row: Deal): Partial<DealView> {
    const nowMs = this.kit.clock.nowMs();
    return {
      value: valueOf(row.valueMinor, row.currency),
      weightedValueMinor: weighted(row.valueMinor, row.probability),
      daysInStage: Math.max(0, Math.floor((nowMs - Date.parse(row.stageEnteredAt)) / DAY_MS)),
      isStale: row.status === 'open' && row.staleAt !== null && Date.parse(row.staleAt) <= nowMs,
    };
  }

  /** What the tenant may ask at the gates: the largest discount of the lines, and the chance of winning after the action. */
  protected override async gateFacts(row: Deal, action: DealAction | null, input: Input): Promise<Input> {
    return {
      maxDiscountPercent: largestDiscount(row.lineItems),
      targetProbability: action === null ? row.probability : await this.chanceAfter(row, action, input),
    };
  }

  /** An open deal that stands where deals begin has not been moved, or not for good: what it says is a draft. */
  protected override async isGated(row: Deal, action: DealAction | null): Promise<boolean> {
    if (action !== null || row.status !== 'open') return true;
    return row.stage !== startingStage(await this.pipelines.resolve(row.pipelineId), undefined).key;
  }

  private async chanceAfter(row: Deal, action: DealAction, input: Input): Promise<number> {
    const { probability, stage, pipelineId = row.pipelineId } = input as Partial<MoveDeal & ChangeDealPipeline>;
    if (probability !== undefined) return probability;
    return action !== 'win' ? startingStage(await this.pipelines.choose(pipelineId, row), stage).probability : 100;
  }

  protected override async draft(body: Input): Promise<Draft<Deal>> {
    const { value, ...input } = body as unknown as CreateDeal; // validated against it
    const pipeline = await this.pipelines.choose(input.pipelineId ?? null);
    const stage = startingStage(pipeline, input.stage);
    if (stage.category !== 'open') throw invalid('/stage', 'stage_not_open', 'A new deal starts in an open stage.');
    const currency = input.currency ?? (await this.currencyFor(input.accountId));
    const lineItems = await linesOf(input.lineItems ?? [], [], this.taxRates);
    const given = valueMinorOf({ ...input, ...(value === undefined ? {} : { value }) }, currency);
    return {
      ...input,
      currency,
      lineItems,
      valueMinor: valueOfDeal(lineItems, given) ?? null,
      pipelineId: pipeline.id,
      ...enter(stage, this.now()),
      ...overrides(input),
    } as unknown as Draft<Deal>; // the definition has the values of the other fields
  }

  protected override async edit(row: Deal, patch: Input): Promise<Partial<Deal>> {
    refuseMisplaced(row, patch);
    const {
      value,
      lineItems: lines,
      ...changes
    } = patch as Partial<Deal> & { value?: number; lineItems?: LineInput[] };
    if (changes.probability !== undefined && row.status !== 'open')
      throw new Problem('record_locked', `The probability of a ${row.status} deal is fixed.`);
    if (changes.renewalOfDealId === row.id)
      throw invalid('/renewalOfDealId', 'invalid_value', 'A deal cannot renew itself.');
    const lineItems = lines ? await linesOf(lines, row.lineItems, this.taxRates) : row.lineItems;
    const given = valueMinorOf(
      { ...changes, ...(value === undefined ? {} : { value }) },
      changes.currency ?? row.currency,
    );
    const valueMinor = valueOfDeal(lineItems, given);
    return { ...changes, lineItems, ...(valueMinor === undefined ? {} : { valueMinor }) };
  }

  protected override expectVisible(transaction: Transaction, input: Input, before: Partial<Deal> = {}): void {
    super.expectVisible(transaction, input, before);
    const { registry } = this.kit;
    for (const check of visibilityChecks(registry, RENEWED, input, before)) transaction.write(check);
    const ids = newProducts((input as Partial<CreateDeal>).lineItems ?? [], before.lineItems ?? []);
    for (const check of visibilityChecksOf(registry, PRODUCT, '/lineItems', ids)) transaction.write(check);
  }

  protected override add(transaction: Transaction, row: Deal): DealView {
    for (const check of productChecks(row.lineItems, [])) transaction.write(check);
    return super.add(transaction, row);
  }

  protected override apply(
    transaction: Transaction,
    row: Deal,
    changes: Partial<Deal>,
    event: string,
    why: object = {},
  ): DealView {
    for (const check of productChecks(changes.lineItems ?? [], row.lineItems)) transaction.write(check);
    return super.apply(transaction, row, changes, event, why);
  }

  protected override async transit(
    transaction: Transaction,
    row: Deal,
    action: DealAction,
    input: Input,
  ): Promise<DealView> {
    if (action === 'delete' && row.status !== 'won') await this.refuseHeld(row.id, action);
    return super.transit(transaction, row, action, input);
  }

  private async move(row: Deal, input: MoveDeal): Promise<Partial<Deal>> {
    const pipeline = await this.pipelines.resolve(row.pipelineId);
    const stage = stageOf(pipeline, input.stage);
    if (stage.key === row.stage) throw this.refusal(row, 'move', 'The deal is in that stage already.');
    if (stage.category !== 'open')
      throw this.refusal(
        row,
        'move',
        `A deal gets into a ${stage.category} stage by ${stage.category === 'won' ? 'win' : 'lose'}.`,
      );
    requireFields(row, stage);
    return { ...enter(stage, this.now()), ...overrides(input) };
  }

  private async changePipeline(row: Deal, input: ChangeDealPipeline): Promise<Partial<Deal>> {
    if (input.pipelineId === row.pipelineId)
      throw this.refusal(row, 'change_pipeline', 'The deal is in that pipeline already.');
    const pipeline = await this.pipelines.choose(input.pipelineId);
    const stage = startingStage(pipeline, input.stage);
    if (stage.category !== 'open')
      throw this.refusal(row, 'change_pipeline', 'The deal stays open: name an open stage.');
    requireFields(row, stage);
    return { pipelineId: pipeline.id, ...enter(stage, this.now()) };
  }

  private async win(row: Deal, { closedAt, force }: WinDeal): Promise<Partial<Deal>> {
    const stage = closingStage(await this.pipelines.resolve(row.pipelineId), 'won');
    if (!force) requireFields(row, stage);
    return { ...enter(stage, this.now()), closedAt: this.closing(closedAt) };
  }

  private async lose(row: Deal, input: LoseDeal): Promise<Partial<Deal>> {
    const stage = closingStage(await this.pipelines.resolve(row.pipelineId), 'lost');
    return {
      ...enter(stage, this.now()),
      closedAt: this.closing(input.closedAt),
      lostReason: input.lostReason,
      lostNotes: input.lostNotes ?? null,
      competitor: input.competitor ?? null,
    };
  }

  private async reopen(row: Deal, input: ReopenDeal): Promise<Partial<Deal>> {
    const { dealReopenDays } = (await this.settings.get()).sales;
    if (this.kit.clock.nowMs() - Date.parse(row.closedAt!) > dealReopenDays * DAY_MS)
      throw new Problem(
        'reopen_window_passed',
        `A deal can be opened again for ${dealReopenDays} days after it was closed.`,
      );
    await this.refuseHeld(row.id, 'reopen');
    const stage = startingStage(await this.pipelines.resolve(row.pipelineId), input.stage);
    if (stage.category !== 'open') throw this.refusal(row, 'reopen', 'A deal is opened again into an open stage.');
    return { ...enter(stage, this.now()), closedAt: null, lostReason: null, lostNotes: null, competitor: null };
  }

  private closing(closedAt: string | undefined): string {
    const nowMs = this.kit.clock.nowMs();
    if (closedAt !== undefined && Date.parse(closedAt) > nowMs)
      throw invalid('/closedAt', 'out_of_range', 'The deal cannot be closed in the future.');
    return new Date(closedAt ?? nowMs).toISOString();
  }

  /** @throws Problem 409 `record_locked`. */
  private async refuseHeld(id: string, action: 'delete' | 'reopen'): Promise<void> {
    for (const hold of this.holds) {
      const reason = await hold(id, action);
      if (reason !== null) throw new Problem('record_locked', reason);
    }
  }

  private async currencyFor(accountId: string | null | undefined): Promise<string> {
    const own = accountId ? await this.accounts.currencyOf(accountId) : null;
    return own ?? currentTenant().currency;
  }

  private async replaceContact(from: string, into: string): Promise<void> {
    const replaced = (id: string) => (id === from ? into : id);
    for (const id of await this.repository.idsOfContact(from))
      await this.amend(id, ({ primaryContactId, contactIds }) => ({
        primaryContactId: primaryContactId && replaced(primaryContactId),
        contactIds: [...new Set(contactIds.map(replaced))],
      }));
    await this.unit((transaction) => this.repository.replaceInTrash(transaction, from, into));
  }
}

function invalid(pointer: string, code: string, detail: string): Problem {
  return Problem.validation([{ pointer, code, detail }]);
}
