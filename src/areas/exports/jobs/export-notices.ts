import { Injectable } from '@nestjs/common';
import { asMember } from '#libs/auth/as-member.js';
import { Authorities } from '#libs/auth/authority.js';
import { requirePermission } from '#libs/auth/current-principal.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { Notifier } from '#libs/notifications/notifier.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { ExportTables } from '../table/export-tables.js';
import { type ExportJob, exportJobs } from './export-job.js';

/** Tells members of exports: who requested one, and those to whom a scheduled one is sent. */
@Injectable()
export class ExportNotices {
  constructor(
    private readonly tables: ExportTables,
    private readonly authorities: Authorities,
    private readonly notifier: Notifier,
    private readonly kit: ResourceKit,
  ) {}

  /** Tells the requester, and each reader who can still see the list and all fields. */
  async ready(transaction: Transaction, row: ExportJob): Promise<void> {
    const { id, rowCount, url, requesterId, readerIds, expiresAt, scheduleId } = row;
    const title = `The export of ${this.nameOf(row)} is ready: ${rowCount} ${rowCount === 1 ? 'record' : 'records'}`;
    const body = `It can be downloaded until ${expiresAt!.slice(0, 10)}.`;
    const kind = scheduleId === null ? ('export' as const) : ('report' as const); // mailed at once by default
    const notice = { kind, subject: { object: exportJobs.type, id }, title, body, url };
    const readers: string[] = [];
    for (const each of readerIds) if (each !== requesterId && (await this.mayRead(each, row))) readers.push(each);
    await this.notifier.tell(transaction, notice, [requesterId]);
    await this.notifier.tell(transaction, { ...notice }, readers);
  }

  async failed(transaction: Transaction, row: ExportJob): Promise<void> {
    const { id, error, requesterId } = row;
    const title = `The export of ${this.nameOf(row)} failed`;
    const url = `${exportJobs.path}/${id}`;
    const notice = {
      kind: 'export',
      subject: { object: exportJobs.type, id },
      title,
      body: error!.message,
      url,
    } as const;
    await this.notifier.tell(transaction, notice, [requesterId]);
  }

  private nameOf({ type }: ExportJob): string {
    return this.kit.registry.ofType(type)?.definition.collection.replaceAll('-', ' ') ?? type;
  }

  private async mayRead(readerId: string, { type, query, plan }: ExportJob): Promise<boolean> {
    try {
      const found = await asMember(this.authorities, readerId, async () => {
        requirePermission('exports:read');
        await this.tables.requireVisible({ type, query, plan: plan! });
        return true;
      });
      return found ?? false;
    } catch (error) {
      if (error instanceof Problem && error.status < 500) return false;
      throw error;
    }
  }
}
