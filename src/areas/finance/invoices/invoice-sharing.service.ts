import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { type LinkTarget, PublicLinksService } from '#src/areas/sharing/public-links/public-links.service.js';
import { type Invoice, invoices, type ShownInvoice } from './invoice.js';
import { InvoicesService } from './invoices.service.js';

const { from: SENDABLE, permission: SEND } = invoices.lifecycle.transitions.send;

/** An invoice with its computed fields. */
export type SeenInvoice = Omit<Invoice, 'amount' | 'exchange'> & Pick<ShownInvoice, 'status'>;

/** Access to invoices for customers, who have no user account. */
@Injectable()
export class InvoiceSharingService implements LinkTarget, OnModuleInit {
  constructor(
    private readonly service: InvoicesService,
    private readonly links: PublicLinksService,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.links.serve('invoice', this);
  }

  /** URL of a new public link to an issued invoice. */
  async link(invoiceId: string): Promise<string> {
    return (await this.links.create({ purpose: 'invoice', targetId: invoiceId })).publicUrl;
  }

  /**
   * Requires that the caller may send the invoice and that it has been issued.
   * @throws Problem 400 `unknown_reference`, 403, 409 `invalid_transition`.
   */
  async requireShareable(id: string, pointer: string): Promise<void> {
    const { records } = this.service;
    if (!(await records.find(id)))
      throw Problem.validation([{ pointer, code: 'unknown_reference', detail: 'There is no such invoice.' }]);
    const row = await records.readFor(id, SEND);
    if (!SENDABLE.includes(row.status)) throw records.rules.refusal(row, 'send');
  }

  /** @throws Problem 403, 404. */
  async requireSharer(id: string): Promise<void> {
    await this.service.records.readFor(id, SEND);
  }

  /** The current state of an issued invoice; the first call records that it was viewed. @throws Problem 404. */
  async seen(id: string): Promise<SeenInvoice> {
    const { records } = this.service;
    return records.unit(async (transaction) => {
      const found = await records.readPlainly(id);
      const row = found.viewedAt === null ? await records.rows.lockPlainly(transaction, id) : found;
      if (row.status === 'draft') throw Problem.notFound();
      const viewedAt = new Date(this.clock.nowMs()).toISOString();
      const after = row.viewedAt === null ? await records.rows.apply(transaction, row, { viewedAt }, 'viewed') : row;
      return { ...after, status: this.service.stateOf(after) };
    });
  }
}
