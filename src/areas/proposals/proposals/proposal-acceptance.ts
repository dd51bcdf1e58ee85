import { Injectable } from '@nestjs/common';
import { requirePermission } from '#libs/auth/current-principal.js';
import { Guarantors } from '#libs/auth/guarantors.js';
import { Problem } from '#libs/kernel/problem.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { Deal, deals } from '#src/areas/sales/sales.area.js';
import { DealsService } from '#src/areas/sales/deals/deals.service.js';
import { chosenLines } from './proposal-lines.js';
import type { ChosenLine, DealOutcome } from './proposal.parts.js';
import type { Proposal } from './proposal.js';

const { permission: CLOSE } = deals.lifecycle.transitions.win;

/** What a customer says when accepting. */
export interface Consent {
  name: string;
  email: string | null;
  signature: string | null;
  /** Null for what is selected in advance. */
  options: readonly ChosenLine[] | null;
  /** Whether it came through a public link, so that whoever sent the proposal answers for the deal. */
  isPublic: boolean;
}

/** What the acceptance of a proposal means for it and for its deal. The deal is locked before the proposal. */
@Injectable()
export class ProposalAcceptance {
  constructor(
    private readonly deals: DealsService,
    private readonly guarantors: Guarantors,
    private readonly settings: TenantSettings,
    private readonly kit: ResourceKit,
  ) {}

  /**
   * The fields of an accepted proposal.
   * @throws Problem 400 for options that are not offered; 409 `offer_expired`, `total_negative`; 403 for a member who may
   *   not win the deal.
   */
  async accepted(row: Proposal, consent: Consent): Promise<Partial<Proposal>> {
    const now = this.kit.now();
    if (row.expiresAt !== null && row.expiresAt <= now)
      throw new Problem('offer_expired', `The proposal could be accepted until ${row.expiresAt}.`);
    const { name, email, signature, options, isPublic } = consent;
    const { taxRounding } = (await this.settings.get()).finance;
    const rules = { taxInclusive: row.taxInclusive, taxRounding };
    const { lineItems, header, acceptedOptions } = chosenLines(row.lineItems, options, rules);
    if (header.netMinor < 0 || header.totalMinor < 0)
      throw new Problem('total_negative', 'What was chosen comes to less than nothing.');
    const changes = {
      acceptance: { name, email, at: now, ip: isPublic ? currentScope().clientIp : null, signature, acceptedOptions },
      acceptedLineItems: lineItems,
      acceptedNetMinor: header.netMinor,
      acceptedTotalMinor: header.totalMinor,
    };
    return { ...changes, dealOutcome: await this.outcomeOf({ ...row, ...changes }, isPublic) };
  }

  /** Gives the deal of an accepted proposal its lines and value, and wins it. */
  async win({ dealId, acceptedLineItems, acceptedNetMinor }: Proposal): Promise<void> {
    await this.deals.records.amend(dealId!, () => ({ lineItems: acceptedLineItems, valueMinor: acceptedNetMinor }));
    await this.deals.records.follow('win', dealId!, { force: true });
  }

  private async outcomeOf(row: Proposal, isPublic: boolean): Promise<DealOutcome | null> {
    const { dealId, sender, acceptedLineItems: lineItems, acceptedNetMinor: valueMinor } = row;
    if (dealId === null) return null;
    const deal = await this.kit.rows(Deal).find(dealId);
    if (deal?.status === 'won') return 'already_won';
    if (deal?.status !== 'open' || deal.deletedAt !== null || deal.archivedAt !== null) return 'not_open';
    let outcome: DealOutcome = 'won';
    const ask = async () => {
      await this.requireCloser(dealId);
      if (await this.deals.records.isHeld({ ...deal, lineItems, valueMinor }, 'win')) outcome = 'gate';
    };
    if (!isPublic) {
      await ask();
      return outcome;
    }
    if (sender === null) return 'not_permitted';
    try {
      await this.guarantors.check(sender, `proposal ${row.id}`, ask);
      return outcome;
    } catch (error) {
      if (error instanceof Problem) return 'not_permitted';
      throw error;
    }
  }

  /** @throws Problem 403, 404. */
  private async requireCloser(dealId: string): Promise<Deal> {
    requirePermission(CLOSE, { object: deals.type });
    return this.deals.records.readFor(dealId, CLOSE);
  }
}
