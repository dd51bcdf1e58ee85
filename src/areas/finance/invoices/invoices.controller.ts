import { Controller, Param, Post } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { pathOf } from '#libs/resource/definition.js';
import { ResourceController } from '#libs/resource/resource.controller.js';
import { InvoiceView } from './invoice.dto.js';
import { invoiceResource } from './invoice.resource.js';
import { InvoicesService } from './invoices.service.js';

@Controller(pathOf(invoiceResource))
export class InvoicesController extends ResourceController(invoiceResource) {
  constructor(private readonly invoices: InvoicesService) {
    super(invoices);
  }

  @Route({
    id: 'finance.invoices.duplicate',
    summary: 'Make a new draft of an invoice',
    description: 'With the same customer and lines, which charge for nothing in particular.',
    permission: 'invoices:write',
    object: invoiceResource.type,
    status: 201,
    answer: InvoiceView,
    record: true,
    location: pathOf(invoiceResource),
    problems: ['not_found'],
    example: { answer: invoiceResource.example },
  })
  @Post(':id/duplicate')
  duplicate(@Param('id') recordId: string) {
    return this.invoices.duplicate(recordId);
  }
}
