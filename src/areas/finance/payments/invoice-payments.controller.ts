import { Body, Controller, Param, Post } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { pathOf } from '#libs/resource/definition.js';
import { PayInvoiceInput, PaymentView } from './payment.dto.js';
import { paymentResource } from './payment.resource.js';
import { PaymentsService } from './payments.service.js';

@Controller('api/v1/finance/invoices')
export class InvoicePaymentsController {
  constructor(private readonly service: PaymentsService) {}

  @Route({
    id: 'finance.invoices.payments.create',
    summary: 'Record a payment of an invoice',
    permission: 'payments:write',
    object: paymentResource.type,
    status: 201,
    body: PayInvoiceInput,
    bodyOptional: true,
    tag: 'finance payments',
    answer: PaymentView,
    record: true,
    location: pathOf(paymentResource),
    problems: ['not_found', 'invalid_transition', 'amount_exceeds_balance', 'duplicate'],
    example: { body: { amountMinor: 36000, method: 'bank_transfer' }, answer: paymentResource.example },
  })
  @Post(':id/payments')
  pay(@Param('id') invoiceId: string, @Body() input: Partial<PayInvoiceInput>) {
    return this.service.payInvoice(invoiceId, input ?? {});
  }
}
