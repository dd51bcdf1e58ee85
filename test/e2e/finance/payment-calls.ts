import pg from 'pg';
import type { ShownCreditNote } from '#src/areas/finance/credit-notes/credit-note.js';
import type { ShownInvoice } from '#src/areas/finance/invoices/invoice.js';
import type { LedgerEntryView } from '#src/areas/finance/ledger/ledger-entry.dto.js';
import type { TrialBalance } from '#src/areas/finance/ledger/ledger-report.dto.js';
import type { ShownPayment } from '#src/areas/finance/payments/payment.js';
import type { Answer, Client } from '../../harness/client.js';
import type { TestPlatform, TestTenant } from '../../harness/platform.js';

export const INVOICES = '/api/v1/finance/invoices';
export const PAYMENTS = '/api/v1/finance/payments';
export const CREDIT_NOTES = '/api/v1/finance/credit-notes';
export const TAX_RATES = '/api/v1/finance/tax-rates';
export const ENTRIES = '/api/v1/finance/ledger-entries';

/** The body of a response with this status. @throws Error with the response if the status differs. */
export function expectStatus<T>(answer: Answer<T>, status: number): T {
  if (answer.status !== status) throw new Error(`${answer.status} in place of ${status}: ${answer.text}`);
  return answer.body;
}

/** Issues an invoice for an amount, untaxed unless `more` has lines. */
export async function issuedInvoice(api: Client, totalMinor: number, more: object = {}): Promise<ShownInvoice> {
  const lineItems = [{ description: 'Work', unitPriceMinor: totalMinor }];
  const body = { customer: { name: 'Globex' }, lineItems, ...more };
  const { id } = expectStatus(await api.post<ShownInvoice>(INVOICES, body), 201);
  return expectStatus(await api.post<ShownInvoice>(`${INVOICES}/${id}/issue`), 200);
}

export async function invoice(api: Client, id: string): Promise<ShownInvoice> {
  return expectStatus(await api.get<ShownInvoice>(`${INVOICES}/${id}`), 200);
}

/** Creates a payment that has succeeded. */
export async function payment(api: Client, amountMinor: number, more: object = {}): Promise<ShownPayment> {
  const body = { amountMinor, status: 'succeeded', ...more };
  return expectStatus(await api.post<ShownPayment>(PAYMENTS, body), 201);
}

/** Runs an action of a payment or credit note that must succeed. */
export async function act<T = ShownPayment>(api: Client, path: string, action: string, body?: object): Promise<T> {
  return expectStatus(await api.post<T>(`${path}/${action}`, body), 200);
}

/** Creates a draft credit note. */
export async function creditNote(api: Client, invoiceId: string, more: object = {}): Promise<ShownCreditNote> {
  const body = { invoiceId, reason: 'Returned goods', ...more };
  return expectStatus(await api.post<ShownCreditNote>(CREDIT_NOTES, body), 201);
}

/** The journals of a record, oldest first, each as `account amount` with debits positive, by account. */
export async function journals(api: Client, sourceId: string): Promise<string[][]> {
  const { data } = expectStatus(
    await api.get<{ data: LedgerEntryView[] }>(`${ENTRIES}?source=${sourceId}&sort=createdAt&limit=200`),
    200,
  );
  const found = new Map<string, string[]>();
  for (const { journalId, accountCode, debitMinor, creditMinor } of data)
    found.set(journalId, [...(found.get(journalId) ?? []), `${accountCode} ${debitMinor - creditMinor}`]);
  return [...found.values()].map((lines) => lines.sort());
}

/** The balances of all accounts, as `account currency` and minor units; accounts without a balance are left out. */
export async function balances(api: Client): Promise<Record<string, number>> {
  const { data } = expectStatus(await api.get<TrialBalance>('/api/v1/finance/trial-balance'), 200);
  return Object.fromEntries(
    data
      .filter(({ balanceMinor, baseBalanceMinor }) => balanceMinor !== 0 || baseBalanceMinor !== 0)
      .map(({ accountCode, currency, balanceMinor }) => [`${accountCode} ${currency}`, balanceMinor!]),
  );
}

/** Statuses of responses, sorted. */
export const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort();

/** Runs statements directly on the database, with the role of the API inside the tenant. */
export class AppRole {
  private constructor(
    private readonly client: pg.Client,
    private readonly tenantId: string,
  ) {}

  static async of(platform: TestPlatform, tenant: TestTenant): Promise<AppRole> {
    const client = new pg.Client({ connectionString: platform.database.appUrl });
    await client.connect();
    return new AppRole(client, tenant.id);
  }

  /** SQLSTATE and constraint of the error raised by statements in one transaction; `no error` if none. */
  async broken(...statements: [text: string, values?: unknown[]][]): Promise<string> {
    await this.client.query('begin');
    try {
      await this.client.query(`select set_config('app.tenant_id', $1, true)`, [this.tenantId]);
      for (const [text, values = []] of statements) await this.client.query(text, values);
      await this.client.query('set constraints all immediate');
      return 'no error';
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error;
      return `${error.code} ${error.constraint ?? ''}`.trim();
    } finally {
      await this.client.query('rollback');
    }
  }

  close(): Promise<void> {
    return this.client.end();
  }
}
