import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { unsaid, visibilityChecks } from '#libs/resource/references.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ActionHandler, Input } from '#libs/resource/resource-type.js';
import { ResourceService } from '#libs/resource/resource.service.js';
import type { StandardAction } from '#libs/resource/standard-actions.js';
import { LIVE_ACCOUNT } from '../accounts/account.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { type Contact, LIVE_CONTACT } from '../contacts/contact.js';
import { ContactsService } from '../contacts/contacts.service.js';
import { DealsService } from '../deals/deals.service.js';
import { fieldReferrer } from '../merging/referrer.js';
import type { ConvertLead, DisqualifyLead, LeadView } from './lead.dto.js';
import type { Lead } from './lead.entity.js';
import type { LeadAction } from './lead.lifecycle.js';
import { leadResource } from './lead.resource.js';
import { LeadsRepository } from './leads.repository.js';

type OwnAction = Exclude<LeadAction, StandardAction>;

/** People who may become customers. */
@Injectable()
export class LeadsService extends ResourceService<Lead, LeadView, LeadAction> {
  protected override readonly handlers: Partial<Record<OwnAction, ActionHandler<Lead>>> = {
    convert: (row, input: ConvertLead) => this.convert(row, input),
    disqualify: (_row, { reason }: DisqualifyLead) => ({ disqualifiedReason: reason, disqualifiedAt: this.now() }),
    reopen: () => ({ disqualifiedReason: null, disqualifiedAt: null }),
  };

  constructor(
    kit: ResourceKit,
    protected override readonly repository: LeadsRepository,
    private readonly accounts: AccountsService,
    private readonly contacts: ContactsService,
    private readonly deals: DealsService,
  ) {
    super(leadResource, kit, repository);
  }

  /** What a lead became does not depend on the lead: it only follows a merge. */
  override onModuleInit(): void {
    super.onModuleInit();
    const unused = { isUsed: () => Promise.resolve(false) };
    this.accounts.merging.referredBy({ ...fieldReferrer(this, 'accountId'), ...unused });
    this.contacts.merging.referredBy({ ...fieldReferrer(this, 'contactId'), ...unused });
  }

  protected override expectVisible(transaction: Transaction, input: Input, before: Partial<Lead> = {}): void {
    super.expectVisible(transaction, input, before);
    const named = { accountId: LIVE_ACCOUNT, contactId: LIVE_CONTACT };
    for (const check of visibilityChecks(this.kit.registry, named, input, before)) transaction.write(check);
  }

  /** Makes or finds account and contact and opens a deal, all in the transaction of the action. */
  private async convert(row: Lead, input: ConvertLead): Promise<Partial<Lead>> {
    const { accountId: namedAccountId = null, contactId: wantedContactId, dealName, ...deal } = input;
    await this.unit((transaction) => this.repository.convertOneByOne(transaction));
    const wantedAccountId =
      namedAccountId && ((await this.accounts.merging.survivor(namedAccountId))?.id ?? namedAccountId);
    const contact =
      wantedContactId === undefined
        ? row.email && (await this.contacts.match(row.email, wantedAccountId))
        : await this.wantedContact(wantedContactId, wantedAccountId);
    const accountId = wantedAccountId ?? (contact && contact.accountId) ?? (await this.accountFor(row));
    const contactId = contact ? contact.id : await this.contactFor(row, accountId);
    const opened = {
      ...deal,
      ...belonging(row),
      name: dealName ?? row.company ?? row.name,
      accountId,
      primaryContactId: contactId,
      source: row.source,
    };
    const { id: dealId } = await this.deals.create(unsaid(opened));
    return { accountId, contactId, dealId, convertedAt: this.now() };
  }

  /** @throws Problem 400 for a contact that is not there or belongs to another account. */
  private async wantedContact(id: string, accountId: string | null): Promise<Contact> {
    const contact = await this.contacts.merging.survivor(id);
    if (!contact) throw contactFault('unknown_reference', 'There is no such record.');
    if (accountId !== null && contact.accountId !== null && contact.accountId !== accountId)
      throw contactFault('contact_of_other_account', 'The contact belongs to another account.');
    return contact;
  }

  private async accountFor(row: Lead): Promise<string> {
    const domain = row.email?.slice(row.email.indexOf('@') + 1).toLowerCase() ?? null;
    const found = await this.accounts.match({ domain, name: row.company });
    if (found !== null) return found;
    const { id } = await this.accounts.records.create({ ...belonging(row), name: row.company ?? row.name });
    return id;
  }

  private async contactFor(row: Lead, accountId: string): Promise<string> {
    const emails = row.email === null ? [] : [row.email];
    const { id } = await this.contacts.records.create(unsaid({ ...belonging(row), name: row.name, emails, accountId }));
    return id;
  }
}

/** Where a lead belongs, its new records belong too. */
function belonging({ workspaceId, ownerId }: Lead): object {
  return { workspaceId, ...(ownerId === null ? {} : { ownerId }) };
}

function contactFault(code: string, detail: string): Problem {
  return Problem.validation([{ pointer: '/contactId', code, detail }]);
}
