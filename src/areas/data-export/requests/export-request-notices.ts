import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { PermissionHolders } from '#libs/members/permission-holders.js';
import { Notifier } from '#libs/notifications/notifier.js';
import { type DataExportRequest, exportRequests } from './export-request.js';
import { APPROVE } from './export-request.lifecycle.js';

/** Maximum number of members who are told because of a permission. */
const MOST_READERS = 20;
const WHAT: Record<DataExportRequest['kind'], string> = {
  tenant: 'all data',
  area: 'the data of areas',
  subject: 'the data of a person',
  audit: 'the audit log',
};

/** Tells members of requested exports: who can approve them, and who requested them. */
@Injectable()
export class ExportRequestNotices {
  constructor(
    private readonly notifier: Notifier,
    private readonly holders: PermissionHolders,
  ) {}

  /** Tells those who can approve it, without the requester. */
  async requested(transaction: Transaction, row: DataExportRequest): Promise<void> {
    const readers = await this.holders.find(APPROVE, MOST_READERS);
    const notice = {
      ...({ kind: 'approval_requested', subject: this.subjectOf(row), url: `/api/admin/exports` } as const),
      title: `${row.requestedBy.name} asks to export ${WHAT[row.kind]}`,
      body: row.reason,
    };
    const others = readers.filter((each) => each !== row.requesterBehind);
    await this.notifier.tell(transaction, notice, others);
  }

  /** Tells the requester what was decided. */
  async decided(transaction: Transaction, row: DataExportRequest, verb: string): Promise<void> {
    const title = `Your export of ${WHAT[row.kind]} was ${verb}`;
    await this.tellRequester(transaction, row, { kind: 'approval_decided', title, body: row.decisionReason });
  }

  async ready(transaction: Transaction, row: DataExportRequest): Promise<void> {
    const records = Object.values(row.recordCounts!).reduce((sum, count) => sum + count, 0);
    await this.tellRequester(transaction, row, {
      kind: 'export',
      title: `The export of ${WHAT[row.kind]} is ready: ${records} ${records === 1 ? 'record' : 'records'}`,
      body: `It can be downloaded until ${row.downloadExpiresAt!.slice(0, 10)}.`,
    });
  }

  async failed(transaction: Transaction, row: DataExportRequest): Promise<void> {
    const title = `The export of ${WHAT[row.kind]} failed`;
    await this.tellRequester(transaction, row, { kind: 'export', title, body: row.error!.message });
  }

  private tellRequester(
    transaction: Transaction,
    row: DataExportRequest,
    what: { kind: 'approval_decided' | 'export'; title: string; body: string | null },
  ): Promise<void> {
    const notice = { ...what, subject: this.subjectOf(row), url: `${exportRequests.path}/${row.id}` };
    return this.notifier.tell(transaction, notice, [row.requesterBehind]);
  }

  private subjectOf({ id }: DataExportRequest): { object: string; id: string } {
    return { object: exportRequests.type, id };
  }
}
