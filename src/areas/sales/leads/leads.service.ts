import { domainOfAddress } from '#libs/kernel/domain.js';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { statement, type Statement } from '#libs/database/statement.js';
import { Problem } from '#libs/kernel/problem.js';
import type { ActionHandler, Decisions, Input } from '#libs/resource/types/decisions.js';
import { ERASED } from '#libs/resource/records/traces.js';
import { Records } from '#libs/resource/records/records.js';
import { unsaid, visibilityChecks } from '#libs/resource/access/references.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { StandardAction } from '#libs/resource/types/standard-actions.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { LIVE_ACCOUNT } from '../accounts/account.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { type Contact, LIVE_CONTACT } from '../contacts/contact.js';
import { ContactsService } from '../contacts/contacts.service.js';
import { DealsService } from '../deals/deals.service.js';
import { followerOf } from '#libs/resource/records/referrer.js';
import { type Lead, leads, type ShownLead } from './lead.js';
import type { ConvertLead, DisqualifyLead } from './lead.actions.js';
import type { LeadAction } from './lead.lifecycle.js';

const ONE_BY_ONE = `select pg_advisory_xact_lock(hashtextextended('sales.lead.convert ' || $1, 0))`;

/** Potential customers. */
@Injectable()
export class LeadsService implements Decisions<Lead, ShownLead, LeadAction>, OnModuleInit {
  readonly actions: Partial<Record<Exclude<LeadAction, StandardAction>, ActionHandler<Lead>>> = {
    convert: (row, input: ConvertLead) => this.convert(row, input),
    disqualify: (_row, { reason }: DisqualifyLead) => ({
      disqualifiedReason: reason,
      disqualifiedAt: this.records.rows.now(),
    }),
    reopen: () => ({ disqualifiedReason: null, disqualifiedAt: null }),
  };
  readonly records: Records<Lead, ShownLead, LeadAction>;

  constructor(
    private readonly kit: ResourceKit,
    private readonly accounts: AccountsService,
    private readonly contacts: ContactsService,
    private readonly deals: DealsService,
  ) {
    this.records = Records.of(leads, kit, this);
  }

  /** Only a merge changes the references of a converted lead. */
  onModuleInit(): void {
    this.kit.registry.followMerges(followerOf(this.records, 'accountId'));
    this.kit.registry.followMerges(followerOf(this.records, 'contactId'));
  }

  /** A conversion can reference an account and a contact. */
  /** A disqualified lead needs a reason. */
  erased({ disqualifiedReason }: Lead): Partial<Lead> {
    return { disqualifiedReason: disqualifiedReason === null ? null : ERASED };
  }

  visibility(input: Input, before: Partial<Lead>): Statement[] {
    return visibilityChecks(this.kit.registry, { accountId: LIVE_ACCOUNT, contactId: LIVE_CONTACT }, input, before);
  }

  /** Finds or creates account and contact and creates a deal, in the transaction of the action. */
  private async convert(row: Lead, input: ConvertLead): Promise<Partial<Lead>> {
    const { accountId: namedAccountId = null, contactId: wantedContactId, dealName, ...deal } = input;
    await this.oneByOne();
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
    const { id: dealId } = await this.deals.records.create(unsaid(opened));
    return { accountId, contactId, dealId, convertedAt: this.records.rows.now() };
  }

  /** Serializes the conversions of a tenant, so that two leads for the same person find the same contact. */
  private async oneByOne(): Promise<void> {
    await this.records.unit((transaction) => transaction.query(statement(ONE_BY_ONE, [currentTenant().id])));
  }

  /** @throws Problem 400 for a contact that does not exist or belongs to another account. */
  private async wantedContact(id: string, accountId: string | null): Promise<Contact> {
    const contact = await this.contacts.merging.survivor(id);
    if (!contact) throw contactFault('unknown_reference', 'There is no such record.');
    if (accountId !== null && contact.accountId !== null && contact.accountId !== accountId)
      throw contactFault('contact_of_other_account', 'The contact belongs to another account.');
    return contact;
  }

  private async accountFor(row: Lead): Promise<string> {
    const domain = row.email && domainOfAddress(row.email);
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

/** New records inherit the lead's workspace and owner. */
function belonging({ workspaceId, ownerId }: Lead): object {
  return { workspaceId, ...(ownerId === null ? {} : { ownerId }) };
}

function contactFault(code: string, detail: string): Problem {
  return Problem.validation([{ pointer: '/contactId', code, detail }]);
}
