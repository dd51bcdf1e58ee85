import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { storableText } from '#libs/kernel/storable.js';
import { mergedTexts } from '#libs/resource/records/carrying.js';
import type { Asked, Decisions, Input } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { type MergeDecisions, Merging } from '../merging/merging.js';
import { fieldReferrer } from '#libs/resource/records/referrer.js';
import { Contact, type ContactAction, contacts, MAX_ADDRESSES, type ShownContact } from './contact.js';
import type { Consent, ConsentInput } from './contact.parts.js';
import { idOfEmail, lockAccount, primaryOf } from './contact.queries.js';

const NO_CONSENT: Consent = { email: 'unknown', at: null, source: null };

const ofOtherAccount = (): Problem =>
  new Problem('in_use', 'Deals of another account have the contact; take it off them first.');

@Injectable()
export class ContactsService
  implements Decisions<Contact, ShownContact, ContactAction>, MergeDecisions<Contact>, OnModuleInit
{
  readonly constraints = {
    sales_contacts_account_of_deals: ofOtherAccount,
    sales_deals_contact_of_account: ofOtherAccount,
  };
  readonly records: Records<Contact, ShownContact, ContactAction>;
  readonly merging: Merging<Contact, ShownContact, ContactAction>;
  private readonly repository: ResourceRepository<Contact>;

  constructor(
    private readonly kit: ResourceKit,
    private readonly accounts: AccountsService,
  ) {
    this.repository = kit.rows(Contact);
    this.records = Records.of(contacts, kit, this, this.repository);
    this.merging = new Merging(this.records, this);
  }

  onModuleInit(): void {
    // The surviving account keeps its own primary contact.
    const place = fieldReferrer(this.records, 'accountId', (_, into) => ({ accountId: into, isPrimary: false }));
    this.accounts.merging.referredBy(place);
  }

  /** The contact with an e-mail address that belongs to an account or to none; null if there is none. */
  async match(email: string, accountId: string | null): Promise<Contact | null> {
    const [found] = await this.kit.database.read<{ id: string }>(idOfEmail(email, accountId));
    return found ? this.repository.find(found.id) : null;
  }

  draft(input: Partial<Contact>): Draft<Contact> {
    const { firstName = null, lastName = null, consent, isPrimary = false, accountId = null } = input;
    const name = input.name ?? fullName(firstName, lastName);
    if (name === '')
      throw Problem.validation([
        { pointer: '/name', code: 'required', detail: 'Give a name, or a first or last name.' },
      ]);
    refuseHomelessPrimary({ isPrimary, accountId });
    return { ...input, name, consent: this.consent(NO_CONSENT, consent) } as Draft<Contact>; // the definition has the rest
  }

  /**
   * A name derived from first and last name follows their changes. A contact moved to another account is not its
   * primary contact.
   */
  async edit(row: Contact, patch: Partial<Contact>): Promise<Partial<Contact>> {
    const after = { ...row, ...patch };
    const composed = row.name === fullName(row.firstName, row.lastName) && !('name' in patch);
    const name = composed ? fullName(after.firstName, after.lastName) || row.name : after.name;
    const moved = after.accountId !== row.accountId;
    const isPrimary = patch.isPrimary ?? (row.isPrimary && !moved);
    const consent = this.consent(row.consent, patch.consent);
    refuseHomelessPrimary({ ...after, isPrimary });
    if (isPrimary && (!row.isPrimary || moved))
      await this.records.unit((transaction) => this.displacePrimary(transaction, after.accountId!, row.id));
    return { ...patch, name, isPrimary, consent };
  }

  /** A new primary contact replaces the current one. */
  async around<T>({ verb, input }: Asked<ContactAction>, work: (input: Input) => Promise<T>): Promise<T> {
    const { accountId, isPrimary } = input as Partial<Contact>;
    if (verb !== 'create' || isPrimary !== true || !accountId) return work(input);
    return this.records.unit(async (transaction) => {
      await this.displacePrimary(transaction, accountId);
      return work(input);
    });
  }

  /** A restored contact becomes the account's primary contact again only if there is no other. */
  async prepare(transaction: Transaction, row: Contact, action: ContactAction): Promise<Contact> {
    await this.merging.refuseImpossible(transaction, row, action);
    const returns = action === 'unarchive' || action === 'restore';
    if (!returns || !row.isPrimary || (await this.lockPrimary(transaction, row.accountId!)) === null) return row;
    return this.records.rows.apply(transaction, row, { isPrimary: false }, 'updated');
  }

  /** Who has unsubscribed with one address has with all; time and source belong to that decision. */
  takenOver(into: Contact, from: Contact): Partial<Contact> {
    const isStricter = from.consent.email === 'unsubscribed' && into.consent.email !== 'unsubscribed';
    return {
      consent: isStricter ? from.consent : into.consent,
      emails: mergedTexts(into.emails, from.emails, MAX_ADDRESSES),
      phones: mergedTexts(into.phones, from.phones, MAX_ADDRESSES),
    };
  }

  private async displacePrimary(transaction: Transaction, accountId: string, by: string | null = null): Promise<void> {
    const primary = await this.lockPrimary(transaction, accountId);
    if (primary !== null && primary !== by) await this.records.amend(primary, () => ({ isPrimary: false }));
  }

  /** Locks an account and returns the id of its primary contact; null without one. */
  private async lockPrimary(transaction: Transaction, accountId: string): Promise<string | null> {
    await transaction.query(lockAccount(accountId));
    const [row] = await transaction.query<{ id: string }>(primaryOf(accountId));
    return row?.id ?? null;
  }

  private consent(before: Consent, patch: ConsentInput = {}): Consent {
    const changed = patch.email !== undefined && patch.email !== before.email;
    if (patch.at && Date.parse(patch.at) > Date.parse(this.records.rows.now()))
      throw Problem.validation([
        { pointer: '/consent/at', code: 'out_of_range', detail: 'The decision cannot be in the future.' },
      ]);
    const at = patch.at === undefined ? (changed ? this.records.rows.now() : before.at) : patch.at;
    return { ...before, ...patch, at: at && new Date(at).toISOString() };
  }
}

function fullName(firstName: string | null, lastName: string | null): string {
  return storableText([firstName, lastName].filter(Boolean).join(' '), 200);
}

/** @throws Problem 400 for a primary contact without an account. */
function refuseHomelessPrimary({ isPrimary, accountId }: Pick<Contact, 'isPrimary' | 'accountId'>): void {
  if (isPrimary && accountId === null)
    throw Problem.validation([
      { pointer: '/isPrimary', code: 'invalid_value', detail: 'Only a contact of an account can be its first one.' },
    ]);
}
