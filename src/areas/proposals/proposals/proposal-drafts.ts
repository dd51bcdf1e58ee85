import { Injectable } from '@nestjs/common';
import { Problem } from '#libs/kernel/problem.js';
import { lineInputOf, ratesOf, taxRateIdsOf } from '#libs/lines/document-lines.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { TaxRatesService } from '#src/areas/finance/tax-rates/tax-rates.service.js';
import { AccountsService } from '#src/areas/sales/accounts/accounts.service.js';
import type { Deal } from '#src/areas/sales/sales.area.js';
import { DealsService } from '#src/areas/sales/deals/deals.service.js';
import { proposalLineInputOf, proposalLines } from './proposal-lines.js';
import type { ProposalLine, ProposalLineInput } from './proposal.parts.js';
import type { Proposal, ProposalInput } from './proposal.js';
import { ProposalsRepository } from './proposals.repository.js';

/** Fields that affect the amounts. */
const PRICED_FIELDS = ['currency', 'taxInclusive', 'lineItems'] as const;

interface Basis {
  currency: string;
  taxInclusive: boolean;
  lineItems: readonly ProposalLineInput[];
}

/** Writes drafts of proposals and calculates their amounts. */
@Injectable()
export class ProposalDrafts {
  constructor(
    private readonly settings: TenantSettings,
    private readonly taxRates: TaxRatesService,
    private readonly accounts: AccountsService,
    private readonly deals: DealsService,
    private readonly repository: ProposalsRepository,
  ) {}

  /** A new draft from a validated create body. @throws Problem 400, 409 `currency_mismatch`. */
  async draft(input: ProposalInput): Promise<Draft<Proposal>> {
    const { lineItems, revises, ...fields } = input;
    const deal = input.dealId == null ? null : await this.dealOf(input.dealId);
    const { accountId = deal?.accountId ?? null } = input;
    const contactId =
      input.contactId ?? (accountId === (deal?.accountId ?? null) ? (deal?.primaryContactId ?? null) : null);
    const currency =
      input.currency ??
      deal?.currency ??
      (accountId === null ? null : await this.accounts.currencyOf(accountId)) ??
      currentTenant().currency;
    requireSameCurrency(deal, currency);
    const copied =
      deal?.currency === currency ? deal.lineItems.map((line) => ({ ...lineInputOf(line), id: undefined })) : [];
    const lines = lineItems ?? copied.map(({ id: _, ...line }) => line);
    const basis = { currency, taxInclusive: input.taxInclusive ?? false, lineItems: lines };
    const kept = revises?.lineItems ?? deal?.lineItems ?? [];
    const amounts = await this.amounts(basis, { present: [], kept });
    const version = revises
      ? { number: revises.number, versionNumber: revises.versionNumber + 1, rootId: revises.rootId }
      : { versionNumber: 1 };
    return { ...fields, ...amounts, ...version, accountId, contactId } as Draft<Proposal>; // its other columns have defaults
  }

  /** The changes of a draft from a validated patch. @throws Problem 400, 409 `record_locked`, `currency_mismatch`. */
  async edit(row: Proposal, patch: ProposalInput): Promise<Partial<Proposal>> {
    const names = Object.keys(patch);
    if (row.status !== 'draft' && names.length > 0)
      throw new Problem(
        'record_locked',
        `The proposal is ${row.status}: ${names.join(', ')} cannot change. Revise it for a new version.`,
      );
    const { lineItems: lines, ...fields } = patch;
    const { currency, taxInclusive, dealId } = { ...row, ...fields };
    if (dealId !== null && ('dealId' in patch || 'currency' in patch))
      requireSameCurrency(await this.dealOf(dealId), currency);
    if (!PRICED_FIELDS.some((field) => field in patch)) return fields;
    const present = row.lineItems;
    const lineItems = lines ?? present.map(proposalLineInputOf);
    return { ...fields, ...(await this.amounts({ currency, taxInclusive, lineItems }, { present, kept: present })) };
  }

  /** The create body of the next version of a proposal. */
  nextOf(row: Proposal, today: string): ProposalInput {
    const { name, dealId, accountId, contactId, currency, taxInclusive, introduction, terms, tags, validUntilDate } =
      row;
    const { workspaceId, ownerId } = row;
    return {
      ...{
        name,
        dealId,
        accountId,
        contactId,
        currency,
        taxInclusive,
        introduction,
        terms,
        tags,
        workspaceId,
        ownerId,
      },
      validUntilDate: validUntilDate !== null && validUntilDate < today ? null : validUntilDate,
      lineItems: row.lineItems.map(proposalLineInputOf).map(({ id: _, ...line }) => line),
      revises: row,
    };
  }

  /** @param kept lines whose tax rates may be archived by now */
  private async amounts(
    { currency, taxInclusive, lineItems: input }: Basis,
    { present, kept }: { present: readonly ProposalLine[]; kept: Parameters<typeof ratesOf>[0] },
  ): Promise<Partial<Proposal>> {
    const { taxRounding } = (await this.settings.get()).finance;
    const rates = new Map([...(await this.taxRates.choose(taxRateIdsOf(input))), ...ratesOf(kept)]);
    const costs = await this.repository.costsOf(
      input.flatMap(({ productId }) => productId ?? []),
      currency,
    );
    const { lineItems, header, taxBreakdown } = proposalLines(input, {
      ...{ taxInclusive, taxRounding, rates, present, costs },
    });
    return { currency, taxInclusive, lineItems, ...header, taxBreakdown };
  }

  /** @throws Problem 400 for a deal that the caller cannot see. */
  private async dealOf(id: string): Promise<Deal> {
    const deal = await this.deals.records.find(id);
    if (!deal) throw Problem.unknownReference('/dealId');
    return deal;
  }
}

/** @throws Problem 409 `currency_mismatch`. */
function requireSameCurrency(deal: Deal | null, currency: string): void {
  if (deal && deal.currency !== currency)
    throw new Problem('currency_mismatch', `The deal is in ${deal.currency}, and so must be its proposals.`);
}
