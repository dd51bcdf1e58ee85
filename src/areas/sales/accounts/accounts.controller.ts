import { Body, Controller, Param, Post } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { ResourceController } from '#libs/resource/routes/resource.controller.js';
import { accounts } from './account.js';
import { MergeAccount } from './account.parts.js';
import { AccountsService } from './accounts.service.js';

@Controller(pathOf(accounts))
export class AccountsController extends ResourceController(accounts) {
  constructor(private readonly service: AccountsService) {
    super(service.records);
  }

  @Route({
    id: 'sales.accounts.merge',
    summary: 'Merge an account into another one',
    description:
      'Every reference to the account moves to the other one: deals, contacts, leads, documents. That one takes over ids in other systems, and domain and tax number where it has none; leads of the account’s domain or company go to it. The account is archived for good, with `mergedIntoId`.',
    permission: 'accounts:write',
    object: accounts.type,
    body: MergeAccount,
    answer: accounts.view,
    record: true,
    problems: ['record_locked', 'in_use', 'currency_mismatch'],
    example: { body: { intoId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22' }, answer: accounts.example },
  })
  @Post(':id/merge')
  merge(@Param('id') id: string, @Body() input: MergeAccount) {
    return this.service.merging.merge(id, input);
  }
}
