import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { timerStatement } from '#libs/automation/timers.js';
import { Clock } from '#libs/kernel/clock.js';
import { NIL_UUID } from '#libs/kernel/id.js';
import { AccountsService } from '#src/areas/sales/accounts/accounts.service.js';
import type { Invoice } from '../invoices/invoice.js';
import { InvoiceLetters } from '../invoices/invoice-letters.js';
import { InvoicesRepository } from '../invoices/invoices.repository.js';
import { InvoicesService } from '../invoices/invoices.service.js';
import { DUNNING, DunningSchedule, isDunned } from './dunning-schedule.js';

/** Timer that reschedules the reminders of the invoices after an id. */
const RESCHEDULE = 'finance.dunning.reschedule';
const BATCH = 100;
/** Workers cache settings for a minute. */
const CACHED_MS = 120_000;

/** Reminds customers of open invoices, once per level. */
@Injectable()
export class DunningFlows implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly clock: Clock,
    private readonly invoices: InvoicesService,
    private readonly repository: InvoicesRepository,
    private readonly schedule: DunningSchedule,
    private readonly letters: InvoiceLetters,
    private readonly accounts: AccountsService,
  ) {}

  onModuleInit(): void {
    this.automations.timer({
      kind: DUNNING,
      onBehalf: { of: 'tenant', because: 'rule' },
      fire: (id) => this.remind(id),
    });
    this.automations.on({
      flow: 'finance.reschedule_dunning_on_settings',
      event: 'admin.settings.updated',
      onBehalf: { of: 'tenant', because: 'rule' },
      handle: () => this.plan(),
    });
    this.automations.timer({
      kind: RESCHEDULE,
      onBehalf: { of: 'tenant', because: 'rule' },
      fire: (afterId) => this.reschedule(afterId),
    });
  }

  /** Sends one reminder for the level that is reached, also if several were due since the last one. */
  private async remind(id: string): Promise<void> {
    const { rows } = this.invoices.records;
    await rows.unit(async (transaction) => {
      const row = await this.repository.lock(transaction, id);
      if (!row || !isDunned(row)) return;
      const levels = await this.schedule.levelsOf(row);
      const dunningLevel = levels.filter((at) => at <= this.clock.nowMs()).length;
      const dunningNextAt = await this.schedule.nextAt({ ...row, dunningLevel });
      if (dunningLevel <= row.dunningLevel) {
        await rows.apply(transaction, row, { dunningNextAt }, 'updated');
        return;
      }
      const to = await this.recipientOf(row);
      const changes = { dunningLevel, dunningNextAt };
      if (to === null) {
        const notSent = { ...changes, dunningNotSentReason: 'recipient_missing' as const };
        await rows.apply(transaction, row, notSent, 'reminder_not_sent');
        return;
      }
      await this.letters.remind(transaction, row, dunningLevel, to, rows.now());
      const sent = { ...changes, dunningLastSentAt: rows.now(), dunningNotSentReason: null };
      await rows.apply(transaction, row, sent, 'reminder_sent');
    });
  }

  /** The address on the invoice, or else the current one of the account. */
  private async recipientOf({ customer, accountId }: Invoice): Promise<string | null> {
    if (customer?.email) return customer.email;
    return accountId === null ? null : ((await this.accounts.records.find(accountId))?.billingEmail ?? null);
  }

  /** Waits until no worker uses cached settings any more. */
  private async plan(): Promise<void> {
    const dueAt = new Date(this.clock.nowMs() + CACHED_MS).toISOString();
    await this.invoices.records.unit(async (transaction) => {
      transaction.write(timerStatement({ kind: RESCHEDULE, key: NIL_UUID, dueAt }));
    });
  }

  /** Applies changed settings to open invoices, in batches. A reminder that is already due stays due. */
  private async reschedule(afterId: string): Promise<void> {
    const { rows } = this.invoices.records;
    await rows.unit(async (transaction) => {
      const ids = await this.repository.openAfter(transaction, afterId, BATCH);
      const now = rows.now();
      for (const id of ids) {
        const row = await this.repository.lock(transaction, id);
        if (!row || !isDunned(row) || (row.dunningNextAt !== null && row.dunningNextAt <= now)) continue;
        await rows.apply(transaction, row, { dunningNextAt: await this.schedule.nextAt(row) }, 'updated');
      }
      if (ids.length === BATCH) transaction.write(timerStatement({ kind: RESCHEDULE, key: ids.at(-1)!, dueAt: now }));
    });
  }
}
