import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { storableText } from '#libs/kernel/storable.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { mergedTexts } from '#libs/resource/carrying.js';
import type { Draft } from '#libs/resource/record.entity.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { MergeableService } from '../merging/mergeable.service.js';
import { fieldReferrer } from '../merging/referrer.js';
import { type Consent, type ContactView, MAX_ADDRESSES } from './contact.dto.js';
import type { Contact } from './contact.entity.js';
import { type ContactAction, contactResource } from './contact.resource.js';
import { ContactsRepository } from './contacts.repository.js';

type Input = Record<string, unknown>;

const NO_CONSENT: Consent = { email: 'unknown', at: null, source: null };

/** People at accounts. */
@Injectable()
export class ContactsService extends MergeableService<Contact, ContactView, ContactAction> {
  protected override readonly constraints = {
    sales_contacts_account_of_deals: () =>
      new Problem('in_use', 'Deals of another account have the contact; take it off them first.'),
    sales_deals_contact_of_account: () =>
      new Problem('in_use', 'Deals of another account have the contact; take it off them first.'),
  };

  constructor(
    kit: ResourceKit,
    protected override readonly repository: ContactsRepository,
    events: EventCatalogue,
    private readonly accounts: AccountsService,
  ) {
    super(contactResource, kit, repository, events);
  }

  override onModuleInit(): void {
    super.onModuleInit();
    // The account that stays keeps its own first contact.
    const place = fieldReferrer(this, 'accountId', (_, into) => ({ accountId: into, isPrimary: false }));
    this.accounts.referredBy(place);
  }

  /** The contact with an e-mail address that belongs to an account or to none; null when there is none. */
  async match(email: string, accountId: string | null): Promise<Contact | null> {
    const id = await this.repository.idOfEmail(email, accountId);
    return id === null ? null : this.repository.find(id);
  }

  protected override async draft(input: Input): Promise<Draft<Contact>> {
    const { firstName = null, lastName = null, consent, isPrimary = false } = input as Partial<Contact>;
    const name = (input['name'] as string | undefined) ?? fullName(firstName, lastName);
    if (name === '')
      throw Problem.validation([
        { pointer: '/name', code: 'required', detail: 'Give a name, or a first or last name.' },
      ]);
    const rest = { emails: [], phones: [], ...input };
    const whole = { ...rest, name, isPrimary, consent: this.consent(NO_CONSENT, consent) };
    return whole as unknown as Draft<Contact>; // validated members are columns
  }

  protected override add(transaction: Transaction, row: Contact): ContactView {
    refuseHomelessPrimary(row);
    return super.add(transaction, row);
  }

  override async create(input: Input): Promise<ContactView> {
    const { accountId, isPrimary } = input as Partial<Contact>;
    if (isPrimary !== true || !accountId) return super.create(input);
    return this.unit(async (transaction) => {
      await this.displacePrimary(transaction, accountId);
      return super.create(input);
    });
  }

  /** A name that was made of first and last name follows them. Whoever changes the account is not its first contact yet. */
  protected override async edit(row: Contact, patch: Partial<Contact>): Promise<Partial<Contact>> {
    const after = { ...row, ...patch };
    const composed = row.name === fullName(row.firstName, row.lastName) && !('name' in patch);
    const name = composed ? fullName(after.firstName, after.lastName) || row.name : after.name;
    const moved = after.accountId !== row.accountId;
    const isPrimary = patch.isPrimary ?? (row.isPrimary && !moved);
    const consent = this.consent(row.consent, patch.consent);
    refuseHomelessPrimary({ ...after, isPrimary });
    if (isPrimary && (!row.isPrimary || moved))
      await this.unit((transaction) => this.displacePrimary(transaction, after.accountId!, row.id));
    return { ...patch, name, isPrimary, consent };
  }

  /** Who comes back is the account's first contact again only if it has no other by now. */
  protected override async transit(
    transaction: Transaction,
    row: Contact,
    action: ContactAction,
    input: Input,
  ): Promise<ContactView> {
    const returns = action === 'unarchive' || action === 'restore';
    if (!returns || !row.isPrimary) return super.transit(transaction, row, action, input);
    const other = await this.repository.lockPrimary(transaction, row.accountId!);
    if (other === null) return super.transit(transaction, row, action, input);
    this.apply(transaction, row, { isPrimary: false }, 'updated');
    return super.transit(transaction, (await this.repository.lock(transaction, row.id))!, action, input);
  }

  protected override takenOver(into: Contact, from: Contact): Partial<Contact> {
    return {
      emails: mergedTexts(into.emails, from.emails, MAX_ADDRESSES),
      phones: mergedTexts(into.phones, from.phones, MAX_ADDRESSES),
    };
  }

  private async displacePrimary(transaction: Transaction, accountId: string, by: string | null = null): Promise<void> {
    const primary = await this.repository.lockPrimary(transaction, accountId);
    if (primary !== null && primary !== by) await this.amend(primary, () => ({ isPrimary: false }));
  }

  private consent(before: Consent, patch: Partial<Consent> = {}): Consent {
    const changed = patch.email !== undefined && patch.email !== before.email;
    const at = patch.at === undefined ? (changed ? this.now() : before.at) : patch.at;
    return { ...before, ...patch, at: at && new Date(at).toISOString() };
  }
}

function fullName(firstName: string | null, lastName: string | null): string {
  return storableText([firstName, lastName].filter(Boolean).join(' '), 200);
}

/** @throws Problem 400 for a first contact of no account. */
function refuseHomelessPrimary({ isPrimary, accountId }: Contact): void {
  if (isPrimary && accountId === null)
    throw Problem.validation([
      { pointer: '/isPrimary', code: 'invalid_value', detail: 'Only a contact of an account can be its first one.' },
    ]);
}
