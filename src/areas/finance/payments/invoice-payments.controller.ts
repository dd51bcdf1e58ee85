import { Body, Controller, Param, Post } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { PayInvoiceInput } from './payment.actions.js';
import { payments } from './payment.js';
import { PaymentsService } from './payments.service.js';

@Controller('api/v1/finance/invoices')
export class InvoicePaymentsController {
  constructor(private readonly service: PaymentsService) {}

  @Route({
    id: 'finance.invoices.payments.create',
    summary: 'Record a payment of an invoice',
    permission: 'payments:write',
    object: payments.type,
    status: 201,
    body: PayInvoiceInput,
    bodyOptional: true,
    tag: 'finance payments',
    answer: payments.view,
    record: true,
    location: pathOf(payments),
    problems: ['not_found', 'invalid_transition', 'amount_exceeds_balance', 'amount_too_large', 'duplicate'],
    example: { body: { amountMinor: 36000, method: 'bank_transfer' }, answer: payments.example },
  })
  @Post(':id/payments')
  pay(@Param('id') invoiceId: string, @Body() input: Partial<PayInvoiceInput>) {
    return this.service.payInvoice(invoiceId, input ?? {});
  }
}
