import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { ActionHandler, Decisions, Gating, Input } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { Records } from '#libs/resource/records/records.js';
import { visibilityChecks, visibilityChecksOf } from '#libs/resource/access/references.js';
import type { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { StandardAction } from '#libs/resource/types/standard-actions.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { ContactsService } from '../contacts/contacts.service.js';
import { PipelinesService } from '../pipelines/pipelines.service.js';
import { Deal, type DealBody, deals, type ShownDeal } from './deal.js';
import type { ChangeDealPipeline, LoseDeal, MoveDeal, ReopenDeal, WinDeal } from './deal.actions.js';
import { type Board, type BoardStage, DEALS_OF_STAGE, onBoard, type StageFigures } from './deal.board.js';
import { contactReferrer } from './deal.contacts.js';
import { type AcceptedProposals, type DealFailure, type DealHold, DealHolds } from './deal.holds.js';
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
import { DealMoves } from './deal.moves.js';
import { figures, inOtherStages } from './deal.queries.js';
import { dealShorthand, refuseMisplaced } from './deal.shorthand.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { onePage } from '#libs/resource/lists/page-of-all.js';
import { enter, overrides, startingStage } from './deal.stages.js';
import { valueMinorOf, valueOf, weighted } from './deal.value.js';

/** The foreign key checks that the deal exists. */
const RENEWED = { renewalOfDealId: { table: 'data.sales_deals', where: 'true' } };

@Injectable()
export class DealsService implements Decisions<Deal, ShownDeal, DealAction>, OnModuleInit {
  readonly actions: Record<Exclude<DealAction, StandardAction>, ActionHandler<Deal>> = {
    move: (row, input: MoveDeal) => this.moves.move(row, input),
    change_pipeline: (row, input: ChangeDealPipeline) => this.moves.changePipeline(row, input),
    win: (row, input: WinDeal) => this.moves.win(row, input),
    lose: (row, input: LoseDeal) => this.moves.lose(row, input),
    reopen: (row, input: ReopenDeal) => this.moves.reopen(row, input),
  };
  readonly constraints = {
    sales_deals_renewal_of: () => invalid('/renewalOfDealId', 'unknown_reference', 'There is no such deal.'),
    sales_deals_stage_of_pipeline: () => invalid('/stage', 'unknown_stage', 'The stage has just been removed.'),
    sales_deals_contact_of_account: () =>
      invalid('/contactIds', 'contact_of_other_account', 'The contacts of a deal belong to its account or to none.'),
  };
  readonly records: Records<Deal, ShownDeal, DealAction>;
  private readonly repository: ResourceRepository<Deal>;
  private readonly holds = new DealHolds();
  private readonly moves: DealMoves;
  private acceptedProposals: AcceptedProposals = () => Promise.resolve([]);
  private taxRates: TaxRates = () => Promise.resolve(new Map());

  readonly gating: Gating<Deal, DealAction> = {
    // An open deal in its first stage has not been moved yet and counts as a draft.
    applies: async (row, action) =>
      action !== null ||
      row.status !== 'open' ||
      row.stage !== startingStage(await this.pipelines.resolve(row.pipelineId), undefined).key,
    // The largest line discount, and the probability after the action.
    facts: async (row, action, input) => ({
      maxDiscountPercent: largestDiscount(row.lineItems),
      targetProbability: action === null ? row.probability : await this.chanceAfter(row, action, input),
    }),
  };

  constructor(
    private readonly kit: ResourceKit,
    private readonly pipelines: PipelinesService,
    private readonly accounts: AccountsService,
    private readonly contacts: ContactsService,
    settings: TenantSettings,
  ) {
    this.repository = kit.rows(Deal);
    this.records = Records.of(deals, kit, this, this.repository);
    this.moves = new DealMoves(this.records, pipelines, settings, this.holds, (id) => this.acceptedProposals(id));
  }

  onModuleInit(): void {
    this.pipelines.heldBy({
      lockBesides: (transaction, ...besides) => this.repository.lockAll(transaction, inOtherStages(...besides)),
      place: (transaction, rows: readonly Deal[], stage) => this.moves.place(transaction, rows, stage),
    });
    this.accounts.merging.referredBy(this.records, 'accountId');
    this.contacts.merging.referredBy(contactReferrer(this.records));
  }

  /** Registers a check that can prevent deals from being deleted or reopened, or from changing their currency. */
  heldBy(hold: DealHold): void {
    this.holds.add(hold);
  }

  /** Registers what follows when a deal is reopened or lost. */
  whenReopenedOrLost(failure: DealFailure): void {
    this.holds.follow(failure);
  }

  /** Registers the source of the accepted proposals that a won deal names. */
  acceptedFrom(proposals: AcceptedProposals): void {
    this.acceptedProposals = proposals;
  }

  /** Registers the source of tax rates for lines; without one there are no rates. */
  taxRatesFrom(rates: TaxRates): void {
    this.taxRates = rates;
  }

  /** The stages of a pipeline with their deals; without an id, of the default pipeline. */
  async board(pipelineId: string | null): Promise<Board> {
    const pipeline = await this.pipelines.shown(pipelineId);
    if (!pipeline) return { pipelineId: pipelineId!, ...onePage([]) };
    const held = await this.kit.database.read<StageFigures>(figures(pipeline.id, this.records.visible()));
    const data: BoardStage[] = [];
    for (const stage of pipeline.stages) {
      const own = held.filter((each) => each.stage === stage.key);
      const query = { pipelineId: pipeline.id, stage: stage.key, limit: DEALS_OF_STAGE };
      data.push(onBoard(stage, own, own.length > 0 ? (await this.records.list(query)).data : []));
    }
    return { pipelineId: pipeline.id, ...onePage(data) };
  }

  async draft(body: DealBody): Promise<Draft<Deal>> {
    const { value: _, ...input } = body;
    const pipeline = await this.pipelines.choose(input.pipelineId ?? null);
    const stage = startingStage(pipeline, input.stage);
    if (stage.category !== 'open') throw invalid('/stage', 'stage_not_open', 'A new deal starts in an open stage.');
    const currency = input.currency ?? (await this.currencyFor(input.accountId));
    const lineItems = await linesOf(input.lineItems ?? [], [], this.taxRates);
    return {
      ...input,
      currency,
      lineItems,
      valueMinor: valueOfDeal(lineItems, valueMinorOf(body, currency)) ?? null,
      pipelineId: pipeline.id,
      ...enter(stage, this.records.rows.now()),
      ...overrides(input),
    } as Draft<Deal>; // the definition has the values of the other fields
  }

  async edit(row: Deal, patch: DealBody): Promise<Partial<Deal>> {
    refuseMisplaced(row, patch);
    const { value: _, lineItems: lines, ...changes } = patch;
    if (changes.probability !== undefined && row.status !== 'open')
      throw new Problem('record_locked', `The probability of a ${row.status} deal is fixed.`);
    if (changes.lostReason !== undefined && changes.lostReason !== row.lostReason)
      await this.moves.requireReason(changes.lostReason!);
    if (changes.renewalOfDealId === row.id)
      throw invalid('/renewalOfDealId', 'invalid_value', 'A deal cannot renew itself.');
    if (changes.currency !== undefined && changes.currency !== row.currency)
      await this.holds.refuseHeld(row.id, 'change_currency');
    const lineItems = lines ? await linesOf(lines, row.lineItems, this.taxRates) : row.lineItems;
    const valueMinor = valueOfDeal(lineItems, valueMinorOf(patch, changes.currency ?? row.currency));
    return { ...changes, lineItems, ...(valueMinor === undefined ? {} : { valueMinor }) };
  }

  /** A patch with `status`, `stage` or `pipelineId` is an action; any other patch is an edit. */
  shorthand(patch: Input): { action: DealAction; input: Input } | null {
    return dealShorthand(patch);
  }

  derive(row: Deal): Partial<ShownDeal> {
    const nowMs = this.kit.clock.nowMs();
    return {
      value: valueOf(row.valueMinor, row.currency),
      weightedValueMinor: weighted(row.valueMinor, row.probability),
      daysInStage: Math.max(0, Math.floor((nowMs - Date.parse(row.stageEnteredAt)) / DAY_MS)),
      isStale: row.status === 'open' && row.staleAt !== null && Date.parse(row.staleAt) <= nowMs,
    };
  }

  stateOf(row: Deal): string {
    return row.status;
  }

  visibility(input: DealBody, before: Partial<Deal>): Statement[] {
    const { registry } = this.kit;
    const ids = newProducts(input.lineItems ?? [], before.lineItems ?? []);
    return [
      ...visibilityChecks(registry, RENEWED, input, before),
      ...visibilityChecksOf(registry, PRODUCT, '/lineItems', ids),
    ];
  }

  checks(after: Deal, before: Deal | null): Statement[] {
    return productChecks(after.lineItems, before?.lineItems ?? []);
  }

  async prepare(_: Transaction, row: Deal, action: DealAction): Promise<Deal> {
    if (action === 'delete' && row.status !== 'won') await this.holds.refuseHeld(row.id, action);
    return row;
  }

  private async chanceAfter(row: Deal, action: DealAction, input: Input): Promise<number> {
    const { probability, stage, pipelineId = row.pipelineId } = input as Partial<MoveDeal & ChangeDealPipeline>;
    if (probability !== undefined) return probability;
    return action !== 'win' ? startingStage(await this.pipelines.choose(pipelineId, row), stage).probability : 100;
  }

  private async currencyFor(accountId: string | null | undefined): Promise<string> {
    const own = accountId ? await this.accounts.currencyOf(accountId) : null;
    return own ?? currentTenant().currency;
  }
}

function invalid(pointer: string, code: string, detail: string): Problem {
  return Problem.validation([{ pointer, code, detail }]);
}
