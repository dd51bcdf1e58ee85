import { Module } from '@nestjs/common';
import { declaresMetrics } from '#libs/measures/metric-catalogue.js';
import { SalesRecordsModule } from '#src/areas/sales/sales-records.module.js';
import { PublicLinksRecordsModule } from '#src/areas/sharing/public-links/public-links-records.module.js';
import { WorkRecordsModule } from '#src/areas/work/work-records.module.js';
import { BillingRepository } from './billing/billing.repository.js';
import { CompletionFlows } from './billing/completion.flows.js';
import { MonthEndFlows } from './billing/month-end.flows.js';
import { ProjectBilling } from './billing/project-billing.js';
import { BusinessDay } from './business-day.js';
import { CreditNoteContent } from './credit-notes/credit-note-content.js';
import { CreditNoteLetters } from './credit-notes/credit-note.letters.js';
import { CreditNotesService } from './credit-notes/credit-notes.service.js';
import { DunningSchedule } from './dunning/dunning-schedule.js';
import { DunningFlows } from './dunning/dunning.flows.js';
import { AccountFigures } from './invoices/account-figures.js';
import { CreditLimits } from './invoices/credit-limits.js';
import { EInvoiceFiles } from './e-invoices/e-invoice-files.js';
import { EInvoices } from './e-invoices/e-invoices.js';
import { InvoiceBooks } from './invoices/invoice-books.js';
import { InvoiceDrafts } from './invoices/invoice-drafts.js';
import { InvoiceIssuing } from './invoices/invoice-issuing.js';
import { InvoiceLetters } from './invoices/invoice-letters.js';
import { InvoiceSharingService } from './invoices/invoice-sharing.service.js';
import { InvoiceSources } from './invoices/invoice-sources.js';
import { InvoicesRepository } from './invoices/invoices.repository.js';
import { InvoicesService } from './invoices/invoices.service.js';
import { MilestoneFlows } from './invoices/milestone.flows.js';
import { Ledger } from './ledger/ledger.js';
import { LedgerRepository } from './ledger/ledger.repository.js';
import { LedgerService } from './ledger/ledger.service.js';
import { PaymentSettlements } from './payments/payment-settlements.js';
import { PaymentsService } from './payments/payments.service.js';
import { SettlementDesk } from './settlement-desk.js';
import { TaxRatesService } from './tax-rates/tax-rates.service.js';
import { FINANCE_METRICS } from './finance.metrics.js';

/** Finance records and their services, for the API and the worker. */
@Module({
  imports: [PublicLinksRecordsModule, SalesRecordsModule, WorkRecordsModule],
  providers: [
    declaresMetrics(FINANCE_METRICS),
    AccountFigures,
    BillingRepository,
    BusinessDay,
    CompletionFlows,
    CreditLimits,
    CreditNoteContent,
    CreditNoteLetters,
    CreditNotesService,
    DunningFlows,
    DunningSchedule,
    EInvoiceFiles,
    EInvoices,
    InvoiceBooks,
    InvoiceDrafts,
    InvoiceIssuing,
    InvoiceLetters,
    InvoiceSharingService,
    InvoiceSources,
    InvoicesRepository,
    InvoicesService,
    Ledger,
    LedgerRepository,
    LedgerService,
    MilestoneFlows,
    MonthEndFlows,
    PaymentSettlements,
    PaymentsService,
    ProjectBilling,
    SettlementDesk,
    TaxRatesService,
  ],
  exports: [
    CreditNotesService,
    EInvoiceFiles,
    InvoiceSharingService,
    InvoicesService,
    LedgerService,
    PaymentsService,
    TaxRatesService,
  ],
})
export class FinanceRecordsModule {}
