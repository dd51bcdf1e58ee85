import { Controller, Get, Param, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { LedgerEntryPage, LedgerEntryQuery, LedgerEntryView } from './ledger-entry.dto.js';
import { LedgerService } from './ledger.service.js';

@Controller('api/v1/finance/ledger-entries')
export class LedgerEntriesController {
  constructor(private readonly service: LedgerService) {}

  @Route({
    id: 'finance.ledger_entries.list',
    summary: 'List the entries of the ledger',
    permission: 'ledger:read',
    query: LedgerEntryQuery,
    answer: LedgerEntryPage,
    problems: ['cursor_invalid'],
  })
  @Get()
  list(@Query() query: Record<string, unknown>) {
    return this.service.list(query);
  }

  @Route({
    id: 'finance.ledger_entries.get',
    summary: 'Read an entry of the ledger',
    permission: 'ledger:read',
    answer: LedgerEntryView,
    problems: ['not_found'],
  })
  @Get(':id')
  get(@Param('id') entryId: string) {
    return this.service.get(entryId);
  }
}
