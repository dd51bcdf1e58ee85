import { Inject, Injectable } from '@nestjs/common';
import { asMember } from '#libs/auth/as-member.js';
import { Authorities } from '#libs/auth/authority.js';
import { requirePermission } from '#libs/auth/current-principal.js';
import { tenantName } from '#libs/auth/tenant-name.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { linkTo } from '#libs/http/public-url.js';
import { Problem } from '#libs/kernel/problem.js';
import { oneLine } from '#libs/mail/mail-text.js';
import { Notifier } from '#libs/notifications/notifier.js';
import { ReportEngine } from '../query/report-engine.js';
import { type ReportRun, reportRuns } from './report-run.js';

/** Notifications about scheduled runs. They contain a link instead of rows, so every read is checked. */
@Injectable()
export class RunLetters {
  constructor(
    private readonly engine: ReportEngine,
    private readonly authorities: Authorities,
    private readonly notifier: Notifier,
    private readonly database: Database,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  /** Notifies each reader who can still read the run. */
  async send(transaction: Transaction, run: ReportRun): Promise<void> {
    const { id, name, rowCount, truncated, readerIds, expiresAt } = run;
    if (readerIds.length === 0) return;
    const tenant = oneLine(await tenantName(this.database));
    const url = `${reportRuns.path}/${id}?format=${run.format}`;
    const rows = `${rowCount} ${rowCount === 1 ? 'row' : 'rows'}${truncated ? '; there are more' : ''}`;
    const body = `The report "${oneLine(name)}" of ${tenant} has run: ${rows}.`;
    const text = [body, `Open it here:\n${linkTo(this.settings, url)}`].join('\n\n');
    const notice = {
      kind: 'report',
      subject: { object: reportRuns.type, id },
      title: `Report ${oneLine(name)}: ${rows}`,
      body,
      url,
      letter: { subject: `Report ${oneLine(name)} of ${tenant}`, text, expiresAt },
    } as const;
    const readers: string[] = [];
    for (const readerId of readerIds) if (await this.mayRead(readerId, run)) readers.push(readerId);
    await this.notifier.tell(transaction, notice, readers);
  }

  private async mayRead(readerId: string, { question }: ReportRun): Promise<boolean> {
    try {
      const found = await asMember(this.authorities, readerId, async () => {
        requirePermission('reports:read');
        await this.engine.requireVisible(question);
        return true;
      });
      return found ?? false;
    } catch (error) {
      if (error instanceof Problem && error.status < 500) return false;
      throw error;
    }
  }
}
