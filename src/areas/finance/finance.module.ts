import { Module } from '@nestjs/common';
import { controllerOf } from '#libs/resource/routes/controller-of.js';
import { contributesSample } from '#libs/resource/sample/sample-data.js';
import { creditNotes } from './credit-notes/credit-note.js';
import { CreditNotesService } from './credit-notes/credit-notes.service.js';
import { EInvoicesController } from './e-invoices/e-invoices.controller.js';
import { FinanceRecordsModule } from './finance-records.module.js';
import { financeSample } from './finance.sample.js';
import { InvoicesController } from './invoices/invoices.controller.js';
import { LedgerEntriesController } from './ledger/ledger-entries.controller.js';
import { LedgerReportsController } from './ledger/ledger-reports.controller.js';
import { InvoicePaymentsController } from './payments/invoice-payments.controller.js';
import { payments } from './payments/payment.js';
import { PaymentsService } from './payments/payments.service.js';
import { taxRates } from './tax-rates/tax-rate.js';
import { TaxRatesService } from './tax-rates/tax-rates.service.js';

/** Invoices, payments, credit notes, tax rates and the ledger. */
@Module({
  imports: [FinanceRecordsModule],
  providers: [contributesSample('finance', financeSample)],
  // Reports precede invoices, so that `aging` is not routed as an id.
  controllers: [
    LedgerReportsController,
    controllerOf(creditNotes, CreditNotesService),
    EInvoicesController,
    InvoicePaymentsController,
    InvoicesController,
    LedgerEntriesController,
    controllerOf(payments, PaymentsService),
    controllerOf(taxRates, TaxRatesService),
  ],
})
export class FinanceModule {}
