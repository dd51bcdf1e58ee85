import { Body, Controller, Param, Post } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { pathOf } from '#libs/resource/definition.js';
import { ResourceController } from '#libs/resource/resource.controller.js';
import { AccountView, MergeAccount } from './account.dto.js';
import { accountResource } from './account.resource.js';
import { AccountsService } from './accounts.service.js';

@Controller(pathOf(accountResource))
export class AccountsController extends ResourceController(accountResource) {
  constructor(private readonly accounts: AccountsService) {
    super(accounts);
  }

  @Route({
    id: 'sales.accounts.merge',
    summary: 'Merge an account into another one',
    description:
      'What refers to the account refers to the other one from then on: deals, contacts, leads, documents. It takes over ids in other systems, and domain and tax id where it has none; leads of the account’s domain or company go to it. The account is archived for good, with `mergedIntoId`.',
    permission: 'accounts:write',
    object: accountResource.type,
    body: MergeAccount,
    answer: AccountView,
    record: true,
    problems: ['record_locked', 'in_use'],
    example: { body: { intoId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22' }, answer: accountResource.example },
  })
  @Post(':id/merge')
  merge(@Param('id') id: string, @Body() input: MergeAccount) {
    return this.accounts.merge(id, input);
  }
}
