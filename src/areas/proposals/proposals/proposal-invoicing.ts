import { Injectable } from '@nestjs/common';
import { requirePermission } from '#libs/auth/current-principal.js';
import { actionsFrom, invalidTransition } from '#libs/kernel/lifecycle.js';
import { Problem } from '#libs/kernel/problem.js';
import { taxRateIdsOf } from '#libs/lines/document-lines.js';
import { unsaid } from '#libs/resource/access/references.js';
import type { ShownInvoice } from '#src/areas/finance/finance.area.js';
import { InvoicesService } from '#src/areas/finance/invoices/invoices.service.js';
import { TaxRatesService } from '#src/areas/finance/tax-rates/tax-rates.service.js';
import { type Proposal, proposals } from './proposal.js';
import { ProposalsRepository } from './proposals.repository.js';
import { ProposalsService } from './proposals.service.js';

/** Makes invoices of what customers have accepted. */
@Injectable()
export class ProposalInvoicing {
  constructor(
    private readonly service: ProposalsService,
    private readonly repository: ProposalsRepository,
    private readonly invoices: InvoicesService,
    private readonly taxRates: TaxRatesService,
  ) {}

  /**
   * Creates the draft of an invoice with the accepted lines of a proposal, once as long as that invoice is neither void
   * nor deleted.
   * @throws Problem 403, 404, 409 `invalid_transition` or `source_already_billed`.
   */
  async invoice(id: string): Promise<ShownInvoice> {
    const { records } = this.service;
    requirePermission(proposals.permissions.read, { object: proposals.type });
    return records.unit(async (transaction) => {
      const row = await records.rows.lock(transaction, id, { permission: null });
      if (row.status !== 'accepted')
        throw invalidTransition('invoice', { state: row.status }, actionsFrom(proposals.lifecycle, row.status));
      const other = await this.repository.invoiceOf(id);
      if (other !== null) throw new Problem('source_already_billed', `The invoice ${other} charges for the proposal.`);
      return this.invoices.records.create(unsaid(await this.bodyOf(row)));
    });
  }

  private async bodyOf(row: Proposal) {
    const { id: proposalId, name, accountId, dealId, currency, taxInclusive, acceptedLineItems } = row;
    const usable = await this.taxRates.choose(taxRateIdsOf(acceptedLineItems));
    const lineItems = acceptedLineItems.map((line) => {
      const { productId, description, quantity, unit, unitPriceMinor, discountPercent, taxRateId, taxPercent } = line;
      // A rate that is archived by now stays as a percentage.
      const tax = taxRateId !== null && usable.has(taxRateId) ? { taxRateId } : { taxPercent };
      return { productId, description, quantity, unit, unitPriceMinor, discountPercent, ...tax };
    });
    return { name, accountId, dealId, proposalId, currency, taxInclusive, lineItems };
  }
}
