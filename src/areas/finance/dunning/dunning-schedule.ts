import { Injectable } from '@nestjs/common';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import type { Transaction } from '#libs/database/transaction.js';
import { addDays, instantAtMs } from '#libs/kernel/civil-time.js';
import { Clock } from '#libs/kernel/clock.js';
import { MailOutbox } from '#libs/mail/mail-outbox.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import type { Invoice } from '../invoices/invoice.js';
import type { InvoiceStatus } from '../invoices/invoice.lifecycle.js';

/** Kind of the mails. */
export const REMINDER = 'finance.invoice.reminder';
/** Timer of the next reminder of an invoice, by its id. */
export const DUNNING = 'finance.invoice.dunning';
/** Time of day of reminders in the tenant's time zone. */
const SENT_AT = '09:00';
const REMINDED: readonly InvoiceStatus[] = ['issued', 'partially_paid', 'overdue'];

type Dunned = Pick<Invoice, 'status' | 'dunningPaused'>;

/** Whether the customer gets reminders if the invoice is not paid in time. */
export function isDunned({ status, dunningPaused }: Dunned): boolean {
  return REMINDED.includes(status) && !dunningPaused;
}

/** When the reminders of invoices are due. */
@Injectable()
export class DunningSchedule {
  constructor(
    private readonly settings: TenantSettings,
    private readonly clock: Clock,
    private readonly outbox: MailOutbox,
  ) {}

  /** Instants at which an invoice reaches each level, in order. */
  async levelsOf({ dueDate }: Pick<Invoice, 'dueDate'>): Promise<number[]> {
    const { finance, general } = await this.settings.get();
    return finance.dunningDays.map((count) => instantAtMs(addDays(dueDate!, count), SENT_AT, general.timezone));
  }

  /** Time of the next reminder of an issued invoice. Levels that were missed are skipped. Null if there is none. */
  async nextAt(row: Pick<Invoice, 'dueDate' | 'dunningLevel'>): Promise<string | null> {
    const now = this.clock.nowMs();
    const next = (await this.levelsOf(row)).find((at, index) => index >= row.dunningLevel && at > now);
    return next === undefined ? null : new Date(next).toISOString();
  }

  /** The changes of an invoice with what follows from them for its next reminder. */
  async follow(before: Invoice, changes: Partial<Invoice>): Promise<Partial<Invoice>> {
    const after = { ...before, ...changes };
    if (!isDunned(after)) return { ...changes, dunningNextAt: null };
    return isDunned(before) ? changes : { ...changes, dunningNextAt: await this.nextAt(after) };
  }

  /** Moves the timer of a changed invoice. A reminder that has not been sent is cancelled when it is not needed. */
  keep(transaction: Transaction, before: Invoice, after: Invoice): void {
    const timer = { kind: DUNNING, key: after.id };
    const dueAt = after.dunningNextAt;
    if (dueAt !== before.dunningNextAt)
      transaction.write(dueAt === null ? cancelStatement(timer) : timerStatement({ ...timer, dueAt }));
    if (isDunned(before) && !isDunned(after))
      transaction.write(this.outbox.cancel({ kinds: [REMINDER], subjectIds: [after.id] }, after.updatedAt));
  }
}
