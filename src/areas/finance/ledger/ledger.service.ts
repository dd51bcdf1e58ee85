import { Injectable } from '@nestjs/common';
import { Cursors } from '#libs/kernel/cursor.js';
import { Problem } from '#libs/kernel/problem.js';
import { toListRequest } from '#libs/resource/lists/list-query.js';
import { onePage } from '#libs/resource/lists/page-of-all.js';
import { PAGE_SIZE } from '#libs/resource/lists/page-query.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { BusinessDay } from '../business-day.js';
import { ledgerEntryList, type LedgerEntryView } from './ledger-entry.dto.js';
import type { LedgerEntry } from './ledger-entry.entity.js';
import type { Aging, AgingQuery, TrialBalance, TrialBalanceQuery } from './ledger-report.dto.js';
import { LedgerRepository } from './ledger.repository.js';

/** Reads the ledger and its reports. */
@Injectable()
export class LedgerService {
  constructor(
    private readonly repository: LedgerRepository,
    private readonly cursors: Cursors,
    private readonly day: BusinessDay,
  ) {}

  async list(query: Record<string, unknown>): Promise<Page<LedgerEntryView>> {
    const { data, page } = await this.repository.page(toListRequest(ledgerEntryList, query), ledgerEntryList);
    return { data: data.map(present), page };
  }

  /** @throws Problem 404. */
  async get(id: string): Promise<LedgerEntryView> {
    const entry = await this.repository.find(id);
    if (!entry) throw Problem.notFound();
    return present(entry);
  }

  async trialBalance(query: TrialBalanceQuery): Promise<TrialBalance> {
    const asOf = query.asOf ?? (await this.day.today());
    return { asOf, baseCurrency: currentTenant().currency, ...onePage(await this.repository.balances(asOf)) };
  }

  /** @throws Problem 400 `cursor_invalid` for a cursor of another report. */
  async aging(query: AgingQuery): Promise<Aging> {
    const { limit = PAGE_SIZE, cursor } = query;
    const asOf = query.asOf ?? (await this.day.today());
    const only = { accountId: query.accountId ?? null, currency: query.currency ?? null };
    const purpose = JSON.stringify(['finance.aging', currentTenant().id, asOf, only]);
    const [account, currency] = cursor === undefined ? ['', ''] : this.cursors.read(cursor, purpose).map(String);
    const groups = await this.repository.aging(asOf, only, { account: account!, currency: currency! }, limit + 1);
    const hasMore = groups.length > limit;
    if (hasMore) groups.pop();
    const last = groups.at(-1);
    const nextCursor = hasMore && last ? this.cursors.write([last.accountId ?? '', last.currency], purpose) : null;
    return { asOf, data: groups, page: { limit, hasMore, nextCursor } };
  }
}

function present({ sourceObject, sourceId, ...entry }: LedgerEntry): LedgerEntryView {
  return { ...entry, source: { object: sourceObject, id: sourceId } };
}
