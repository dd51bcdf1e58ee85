import { Controller, Param, Post } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { ResourceController } from '#libs/resource/routes/resource.controller.js';
import { invoices } from './invoice.js';
import { InvoicesService } from './invoices.service.js';

@Controller(pathOf(invoices))
export class InvoicesController extends ResourceController(invoices) {
  constructor(private readonly service: InvoicesService) {
    super(service.records);
  }

  @Route({
    id: 'finance.invoices.duplicate',
    summary: 'Make a new draft of an invoice',
    description: 'The draft has the same customer and lines. Its lines name no records that they charge for.',
    permission: 'invoices:write',
    object: invoices.type,
    status: 201,
    answer: invoices.view,
    record: true,
    location: pathOf(invoices),
    problems: ['not_found'],
    example: { answer: invoices.example },
  })
  @Post(':id/duplicate')
  duplicate(@Param('id') recordId: string) {
    return this.service.duplicate(recordId);
  }
}
