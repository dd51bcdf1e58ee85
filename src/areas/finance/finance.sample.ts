import type { LineView } from '#libs/lines/line.dto.js';
import { documentLines } from '#libs/lines/document-lines.js';
import { addDays, startOfDayMs } from '#libs/kernel/civil-time.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { SAMPLE_PREFIX, type SampleMove, type SampleStory } from '#libs/resource/sample/sample-story.js';
import { contentHashOf } from './invoices/invoice-document.js';
import type { JournalLine } from './ledger/ledger.js';

type Settlement = 'draft' | 'open' | 'half' | 'paid' | 'credited';

/** An invoice: deal (index), text, days and price per day in major units, days since its issue, days until payment. */
type SampleInvoice = readonly [number, string, number, number, number, Settlement, number?];

const INVOICES: readonly SampleInvoice[] = [
  [0, 'Plant monitoring, first part', 20, 1_200, 250, 'paid', 24],
  [0, 'Plant monitoring, second part', 20, 1_200, 160, 'paid', 31],
  [1, 'Fleet contract, first part', 30, 1_200, 205, 'paid', 20],
  [1, 'Fleet contract, second part', 30, 1_200, 110, 'credited', 28],
  [2, 'Patient portal, concept', 18, 1_200, 120, 'paid', 16],
  [5, 'Recipe management', 23, 1_200, 140, 'paid', 38],
  [6, 'Crew planning', 16, 1_200, 135, 'paid', 12],
  [7, 'Second depot', 31, 1_200, 95, 'paid', 27],
  [3, 'Grid analytics, first quarter', 34, 1_200, 80, 'paid', 30],
  [8, 'Site reporting, first part', 15, 1_200, 12, 'half', 5],
  [2, 'Patient portal, build', 24, 1_200, 62, 'open'],
  [3, 'Grid analytics, second quarter', 29, 1_200, 48, 'open'],
  [12, 'Support contract', 15, 1_200, 20, 'paid', 9],
  [11, 'Sensor upgrade, kits', 12, 1_200, 12, 'open'],
  [15, 'Quality dashboard', 25, 1_200, 6, 'open'],
  [13, 'Wind park rollout, advance', 20, 1_200, 0, 'draft'],
  [8, 'Site reporting, second part', 14, 1_200, 0, 'draft'],
];
const TAX_PERCENT = 19;
const CREDITED_DAYS = 2;

/** Invoices in all states with their payments, a credit note, and the ledger. */
export function financeSample(story: SampleStory): void {
  INVOICES.forEach((each, index) => invoice(story, each, index));
}

function linesOf(story: SampleStory, description: string, quantity: number, price: number) {
  const line = { description, quantity, unit: 'day', unitPriceMinor: story.minor(price), taxPercent: TAX_PERCENT };
  const rules = { taxInclusive: false, taxRounding: 'line', rates: new Map() } as const;
  return documentLines([{ ...line, productId: story.id('product 0') }], rules);
}

function invoice(story: SampleStory, each: SampleInvoice, index: number): void {
  const [deal, name, quantity, price, issuedAgo, settlement, payAfter = 0] = each;
  const key = `invoice ${index}`;
  const accountKey = story.keyOf(story.get(`deal ${deal}`, 'accountId'));
  const { lineItems, header, taxBreakdown } = linesOf(story, name, quantity, price);
  const isDraft = settlement === 'draft';
  const createdAt = story.at(issuedAgo + 2, 9);
  const issuedAt = story.at(issuedAgo, 10);
  const issueDate = story.day(issuedAgo);
  const paymentTermsDays = story.get<number>(accountKey, 'paymentTermsDays');
  const credit = settlement === 'credited' ? linesOf(story, `Correction: ${name}`, CREDITED_DAYS, price) : null;
  const amountCreditedMinor = credit?.header.totalMinor ?? 0;
  const owed = header.totalMinor - amountCreditedMinor;
  const amountPaidMinor = { draft: 0, open: 0, half: Math.floor(owed / 2), paid: owed, credited: owed }[settlement];
  const paidDay = issuedAgo - payAfter;
  const isPaid = amountPaidMinor > 0 && amountPaidMinor === owed;
  const status = isDraft ? 'draft' : isPaid ? 'paid' : amountPaidMinor > 0 ? 'partially_paid' : 'issued';
  const moves = movesOf(status, isDraft ? null : issuedAt, story.at(paidDay, 12));
  const document = {
    ...{ name, currency: story.currency, lineItems: lineItems.map(withoutPeriod), taxInclusive: false, ...header },
    ...{ taxBreakdown, poNumber: null, terms: null, language: null, purchaseRef: null },
    ...{ dealId: story.id(`deal ${deal}`), projectId: null },
  };
  const issue = isDraft ? null : issueOf(story, document, { index, accountKey, issueDate, paymentTermsDays });
  story.record(
    {
      ...{ key, table: 'data.finance_invoices', name, reference: `INV-${sixDigits(index + 1)}`, createdAt },
      ...{ version: 1 + moves.length, updatedAt: moves.at(-1)?.at ?? createdAt },
    },
    {
      ...document,
      ...{ status, accountId: story.id(accountKey), notes: null, sentAt: null, sentTo: [], sentMessage: null },
      ...(issue ?? DRAFT),
      ...{ amountPaidMinor, amountCreditedMinor, writtenOffMinor: 0, balanceMinor: owed - amountPaidMinor },
      ...{ exchangeRate: null, paidAt: isPaid ? story.at(paidDay, 12) : null, voidedAt: null, voidReason: null },
      dunningPaused: false,
    },
  );
  story.moves('finance.invoice', key, createdAt, moves);
  if (!issue) return;
  const books = { accountId: story.id(accountKey), invoiceId: story.id(key) };
  journal(story, { object: 'finance.invoice', key, entryDate: issueDate, at: issuedAt }, [
    { account: 'receivable', ...both(header.totalMinor), ...books },
    { account: 'revenue', ...both(-header.netMinor) },
    { account: 'tax', ...both(-header.taxMinor) },
  ]);
  if (credit) creditNote(story, key, accountKey, credit, issuedAgo - 5);
  if (amountPaidMinor > 0)
    payment(story, { index, key, accountKey, number: issue.number, amountMinor: amountPaidMinor, paidDay });
}

/** Columns that the issue fixes. */
function issueOf(
  story: SampleStory,
  document: Omit<Parameters<typeof contentHashOf>[0], keyof typeof DRAFT | 'exchange'>,
  at: { index: number; accountKey: string; issueDate: string; paymentTermsDays: number },
) {
  const { index, accountKey, issueDate, paymentTermsDays } = at;
  const { general, finance } = story.settings;
  const { legalName, address, taxId, bank } = finance.legalEntity;
  const dueDate = addDays(issueDate, paymentTermsDays);
  const own = {
    number: `${SAMPLE_PREFIX}-${issueDate.slice(0, 4)}-${String(index + 1).padStart(5, '0')}`,
    customer: {
      ...{ name: story.get<string>(accountKey, 'name'), email: story.get<string>(accountKey, 'billingEmail') },
      ...{ taxId: null, address: story.get<null>(accountKey, 'billingAddress') },
    },
    seller: { legalName: legalName ?? general.legalName, address, taxId, bank },
    ...{ issueDate, dueDate, paymentTermsDays, baseCurrency: story.currency, baseTotalMinor: document.totalMinor },
    overdueAt: new Date(startOfDayMs(addDays(dueDate, 1), general.timezone)).toISOString(),
  };
  return { ...own, contentHash: contentHashOf({ ...document, ...own, exchange: null }) };
}

const DRAFT = {
  ...{ number: null, customer: null, seller: null, issueDate: null, dueDate: null, paymentTermsDays: null },
  ...{ baseCurrency: null, baseTotalMinor: null, overdueAt: null, contentHash: null },
};

function movesOf(status: string, issuedAt: string | null, paidAt: string): SampleMove[] {
  if (issuedAt === null) return [];
  const issue = { action: 'issue', from: 'draft', to: 'issued', at: issuedAt };
  return status === 'issued' ? [issue] : [issue, { action: 'pay', from: 'issued', to: status, at: paidAt }];
}

interface SamplePayment {
  index: number;
  /** Of the invoice. */
  key: string;
  accountKey: string;
  number: string;
  amountMinor: number;
  paidDay: number;
}

function payment(
  story: SampleStory,
  { index, key: invoiceKey, accountKey, number, amountMinor, paidDay }: SamplePayment,
) {
  const key = `payment ${index}`;
  const [invoiceId, accountId, at] = [story.id(invoiceKey), story.id(accountKey), story.at(paidDay, 12)];
  const { currency } = story;
  story.record(
    {
      ...{ key, table: 'data.finance_payments', name: `Payment of ${number}`, createdAt: at },
      reference: `PAY-${sixDigits(index + 1)}`,
    },
    {
      ...{ status: 'succeeded', accountId, direction: 'incoming', amountMinor, allocatedMinor: amountMinor },
      ...{ refundedMinor: 0, currency, exchangeRate: null, method: 'bank_transfer', receivedDate: story.day(paidDay) },
      ...{ paymentReference: number, providerName: null, providerId: null, allocations: [{ invoiceId, amountMinor }] },
      ...{ settledAt: at, reason: null },
    },
  );
  const paymentId = story.id(key);
  story.link('data.finance_payment_allocations', { paymentId, invoiceId, currency, amountMinor, createdAt: at });
  journal(story, { object: 'finance.payment', key, entryDate: story.day(paidDay), at }, [
    { account: 'cash', ...both(amountMinor) },
    { account: 'receivable', ...both(-amountMinor), accountId, invoiceId },
  ]);
}

function creditNote(
  story: SampleStory,
  invoiceKey: string,
  accountKey: string,
  { lineItems, header, taxBreakdown }: ReturnType<typeof documentLines>,
  daysAgo: number,
): void {
  const key = 'credit note 0';
  const [invoiceId, accountId, at] = [story.id(invoiceKey), story.id(accountKey), story.at(daysAgo, 15)];
  const { subtotalMinor, discountMinor, taxMinor, totalMinor, netMinor } = header;
  const entryDate = story.day(daysAgo);
  story.record(
    {
      ...{ key, table: 'data.finance_credit_notes', name: 'Credit note', reference: 'CRN-000001', createdAt: at },
      version: 3,
    },
    {
      ...{ status: 'applied', number: `${SAMPLE_PREFIX}-CN-${entryDate.slice(0, 4)}-00001`, invoiceId, accountId },
      ...{ currency: story.currency, reason: 'Two days were not needed', disposition: 'reduce_balance' },
      ...{ taxInclusive: false, lineItems, subtotalMinor, discountMinor, taxMinor, totalMinor, taxBreakdown },
      ...{ baseTotalMinor: totalMinor, baseTaxMinor: taxMinor, issueDate: entryDate, appliedAt: at },
      ...{ voidedAt: null, voidReason: null },
    },
  );
  story.moves('finance.credit_note', key, at, [
    { action: 'issue', from: 'draft', to: 'issued', at },
    { action: 'apply', from: 'issued', to: 'applied', at },
  ]);
  const source = { object: 'finance.credit_note', key, entryDate, at };
  journal(story, source, [
    { account: 'revenue', ...both(netMinor) },
    { account: 'tax', ...both(taxMinor) },
    { account: 'customer_credit', ...both(-totalMinor), accountId },
  ]);
  journal(story, source, [
    { account: 'customer_credit', ...both(totalMinor), accountId },
    { account: 'receivable', ...both(-totalMinor), accountId, invoiceId },
  ]);
}

/** Amounts in the currency of the journal, which is that of the tenant. */
function both(amountMinor: number) {
  return { amountMinor, baseMinor: amountMinor };
}

function journal(
  story: SampleStory,
  { object, key, entryDate, at }: { object: string; key: string; entryDate: string; at: string },
  lines: readonly JournalLine[],
): void {
  const journalId = uuidv7();
  for (const { account, amountMinor, baseMinor, accountId = null, invoiceId = null } of lines)
    story.detail('data.finance_ledger_entries', {
      ...{ journalId, entryDate, accountCode: account, currency: story.currency, baseMinor, accountId, invoiceId },
      ...{ debitMinor: Math.max(amountMinor, 0), creditMinor: Math.max(-amountMinor, 0) },
      ...{ sourceObject: object, sourceId: story.id(key), createdAt: at, sample: true },
    });
}

function withoutPeriod(line: LineView) {
  return { ...line, source: null, periodStartDate: null, periodEndDate: null };
}

function sixDigits(number: number): string {
  return String(number).padStart(6, '0');
}
