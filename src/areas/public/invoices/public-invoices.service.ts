import { Injectable } from '@nestjs/common';
import { InvoiceSharingService } from '#src/areas/finance/invoices/invoice-sharing.service.js';
import { LinkOpeningsService, type Opened } from '#src/areas/sharing/public-links/link-openings.service.js';
import type { PublicInvoice } from './public-invoice.dto.js';

/** Invoices for holders of a public link. */
@Injectable()
export class PublicInvoicesService {
  constructor(
    private readonly links: LinkOpeningsService,
    private readonly sharing: InvoiceSharingService,
  ) {}

  /** @throws Problem 404, 429. */
  read(token: string, { isCounted }: { isCounted: boolean }): Promise<Opened<PublicInvoice>> {
    return this.links.open(token, { purpose: 'invoice', isCounted }, async (id) => {
      const invoice = await this.sharing.seen(id);
      const { number, issueDate, dueDate } = invoice;
      return { ...invoice, number: number!, issueDate: issueDate!, dueDate: dueDate! }; // as the issue has set them
    });
  }
}
