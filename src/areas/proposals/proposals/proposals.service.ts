import { Injectable, type OnModuleInit } from '@nestjs/common';
import { guarantorOfCaller } from '#libs/auth/guarantors.js';
import { Automations } from '#libs/automation/automations.js';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { addDays, civilDateAt, startOfDayMs } from '#libs/kernel/civil-time.js';
import { Problem } from '#libs/kernel/problem.js';
import { mustExist, unsaid, visibilityChecksOf } from '#libs/resource/access/references.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Change, Decisions, Gating } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { AccountsService } from '#src/areas/sales/accounts/accounts.service.js';
import { ContactsService } from '#src/areas/sales/contacts/contacts.service.js';
import { DealsService } from '#src/areas/sales/deals/deals.service.js';
import { type Consent, ProposalAcceptance } from './proposal-acceptance.js';
import { ProposalDrafts } from './proposal-drafts.js';
import { ProposalLetters } from './proposal-letters.js';
import { marginOf } from './proposal-lines.js';
import type { AcceptProposalOffline, SendProposal } from './proposal.actions.js';
import { OPEN_STATES, type ProposalAction, type ProposalStatus } from './proposal.lifecycle.js';
import { type Proposal, type ProposalInput, proposals, type ShownProposal } from './proposal.js';
import { ProposalsRepository } from './proposals.repository.js';

type ProposalDecisions = Decisions<Proposal, ShownProposal, ProposalAction>;

const PRODUCT = { table: 'data.sales_products' };
/** Kind of the timer for the end of the validity. */
const EXPIRES = 'proposals.proposal.expired';

/** Proposals: each version is a record, and acceptance wins the deal. */
@Injectable()
export class ProposalsService implements ProposalDecisions, OnModuleInit {
  readonly actions: ProposalDecisions['actions'] = {
    submit: (row) => this.submit(row),
    approve: (row) => this.approve(row),
    send: (row, input: SendProposal) => this.send(row, input),
    resend: (row, input: SendProposal) => this.send(row, input),
    view: () => ({ viewedAt: this.now() }),
    accept: (row, consent: Consent) => this.acceptance.accepted(row, consent),
    accept_offline: (row, { acceptedBy: name, email = null, options = undefined }: AcceptProposalOffline) =>
      this.acceptance.accepted(row, { name, email, signature: null, options: options ?? null, isPublic: false }),
    decline: (_row, { declineReason }: { declineReason: string | null }) => ({ declineReason }),
    revise: (row) => this.revise(row),
  };
  readonly records: Records<Proposal, ShownProposal, ProposalAction>;

  readonly gating: Gating<Proposal, ProposalAction> = {
    // Approvers who have decided on the approval are not asked about the same content again.
    applies: async ({ id }, action) => action !== 'send' || !(await this.repository.wasJudged(id)),
    facts: ({ lineItems, netMinor }) => ({
      maxDiscountPercent: Math.max(0, ...lineItems.map(({ discountPercent }) => discountPercent)),
      marginPercent: marginOf(lineItems, netMinor).percent,
    }),
  };

  constructor(
    private readonly kit: ResourceKit,
    private readonly repository: ProposalsRepository,
    private readonly drafts: ProposalDrafts,
    private readonly acceptance: ProposalAcceptance,
    private readonly letters: ProposalLetters,
    private readonly accounts: AccountsService,
    private readonly contacts: ContactsService,
    private readonly deals: DealsService,
    private readonly settings: TenantSettings,
    private readonly automations: Automations,
  ) {
    this.records = Records.of(proposals, kit, this, repository, {
      // A later version has the number of the first in its reference.
      numberOf: ({ number, versionNumber }) =>
        Promise.resolve(versionNumber > 1 ? { number: versionNumber, reference: `${number}-${versionNumber}` } : null),
    });
  }

  onModuleInit(): void {
    this.accounts.merging.referredBy(this.records, 'accountId');
    this.contacts.merging.referredBy(this.records, 'contactId');
    this.deals.heldBy((dealId, action) => this.holdOf(dealId, action));
    this.deals.whenReopenedOrLost(async (dealId, _, action) => {
      if (action === 'lose') await this.withdrawOpen(dealId);
    });
    this.deals.acceptedFrom((dealId) => this.repository.acceptedOf(dealId));
    this.automations.timer({
      kind: EXPIRES,
      onBehalf: { of: 'tenant', because: 'date' },
      fire: (id) => this.expire(id),
    });
  }

  lockFirst(transaction: Transaction, id: string): void {
    transaction.write(this.repository.lockDeal(id));
  }

  draft(input: ProposalInput): Promise<Draft<Proposal>> {
    return this.drafts.draft(input);
  }

  /** The first version gives all versions their number. */
  complete(row: Proposal): Proposal {
    return row.versionNumber > 1 ? row : { ...row, number: row.reference, rootId: row.id };
  }

  edit(row: Proposal, patch: ProposalInput): Promise<Partial<Proposal>> {
    return this.drafts.edit(row, patch);
  }

  derive({ lineItems, netMinor }: Proposal): Partial<ShownProposal> {
    const { minor: marginMinor, percent: marginPercent } = marginOf(lineItems, netMinor);
    return { marginMinor, marginPercent, mailStatus: null, publicLink: null };
  }

  async detail(view: ShownProposal): Promise<ShownProposal> {
    return { ...view, ...(await this.letters.of(view.id)) };
  }

  /** What the customer was shown and has accepted stays. */
  erased({ status, name }: Proposal): Partial<Proposal> {
    return status === 'draft' ? {} : { name };
  }

  visibility({ lineItems = [] }: ProposalInput, before: Partial<Proposal>): Statement[] {
    return visibilityChecksOf(this.kit.registry, PRODUCT, '/lineItems', newProducts(lineItems, before.lineItems));
  }

  checks({ lineItems }: Proposal, before: Proposal | null): Statement[] {
    const ids = newProducts(lineItems, before?.lineItems);
    return ids.length > 0 ? [mustExist(PRODUCT, '/lineItems', ids)] : [];
  }

  async saved(transaction: Transaction, { before, after, event }: Change<Proposal>): Promise<void> {
    const { id, status, expiresAt } = after;
    const [was, is] = [before?.status, status].map((each) => isOpen(each));
    const timer = { kind: EXPIRES, key: id };
    if (is && !was && expiresAt !== null) transaction.write(timerStatement({ ...timer, dueAt: expiresAt }));
    if (was && !is) {
      transaction.write(cancelStatement(timer));
      this.letters.cancel(transaction, id, after.updatedAt);
    }
    if (event === 'sent' || event === 'resent') await this.letters.send(transaction, after);
    if (event === 'accepted' && after.dealOutcome === 'won') await this.acceptance.win(after);
  }

  private submit(row: Proposal): Promise<Partial<Proposal>> {
    if (row.lineItems.length === 0) throw new Problem('lines_missing', 'The proposal has no lines.');
    if (row.netMinor < 0 || row.totalMinor < 0)
      throw new Problem('total_negative', 'The selected lines come to less than nothing.');
    return this.whileValid(row, {});
  }

  private approve(row: Proposal): Promise<Partial<Proposal>> {
    return this.whileValid(row, { approvedAt: this.now() });
  }

  private async send(row: Proposal, { to, message = null }: SendProposal): Promise<Partial<Proposal>> {
    const own = to ? null : await this.repository.addressOf(row);
    const sentTo = to ?? (own === null ? [] : [own]);
    if (sentTo.length === 0)
      throw new Problem('recipient_missing', 'Neither contact nor account has an address: name a recipient.');
    if (row.accountId !== null) await this.accounts.refuseBlocked(row.accountId);
    if (row.dealId !== null) {
      const { currency, status } = await this.deals.records.readPlainly(row.dealId);
      if (currency !== row.currency)
        throw new Problem(
          'currency_mismatch',
          `The deal is in ${currency} by now. Withdraw the proposal, and make another.`,
        );
      if (status !== 'open') throw this.records.rules.refusal(row, 'send', `The deal is ${status}.`);
    }
    const sent = { sentAt: this.now(), sentTo, sentMessage: message, sender: guarantorOfCaller() };
    return this.whileValid(row, { ...sent, expiresAt: await this.endOf(row) });
  }

  private async revise(row: Proposal): Promise<Partial<Proposal>> {
    const next = this.drafts.nextOf(row, await this.today());
    const { id } = await this.records.create(unsaid(next));
    return { supersededById: id };
  }

  /** Withdraws what can still be accepted of a deal that is lost, which is locked. */
  private async withdrawOpen(dealId: string): Promise<void> {
    for (const id of await this.repository.openOf(dealId)) await this.records.follow('withdraw', id);
  }

  private async holdOf(dealId: string, action: 'change_currency' | 'delete' | 'reopen'): Promise<string | null> {
    if (action === 'change_currency') {
      const number = await this.repository.sentOf(dealId);
      return number && `The proposal ${number} of the deal has been sent in its currency.`;
    }
    const [accepted] = action === 'delete' ? await this.repository.acceptedOf(dealId) : [];
    return accepted === undefined ? null : 'A proposal of the deal has been accepted.';
  }

  /** Expires a proposal without an answer; does nothing if there was one. */
  private async expire(id: string): Promise<void> {
    await this.records.unit(async (transaction) => {
      transaction.write(this.repository.lockDeal(id));
      const row = await this.repository.lock(transaction, id);
      if (row?.deletedAt === null && isOpen(row.status) && row.expiresAt !== null && row.expiresAt <= this.now())
        await this.records.transit(transaction, row, 'expire', {});
    });
  }

  /** @throws Problem 409 `offer_expired` for a proposal whose last day has passed. */
  private async whileValid(row: Proposal, changes: Partial<Proposal>): Promise<Partial<Proposal>> {
    if (row.validUntilDate !== null && row.validUntilDate < (await this.today()))
      throw new Problem('offer_expired', `The proposal was valid until ${row.validUntilDate}.`);
    return changes;
  }

  private async endOf({ validUntilDate }: Proposal): Promise<string | null> {
    if (validUntilDate === null) return null;
    const { timezone } = (await this.settings.get()).general;
    return new Date(startOfDayMs(addDays(validUntilDate, 1), timezone)).toISOString();
  }

  private async today(): Promise<string> {
    const { timezone } = (await this.settings.get()).general;
    return civilDateAt(this.kit.clock.nowMs(), timezone);
  }

  private now(): string {
    return this.records.rows.now();
  }
}

function isOpen(status: ProposalStatus | undefined): boolean {
  return (OPEN_STATES as readonly (ProposalStatus | undefined)[]).includes(status);
}

/** Products that only the new lines name. */
function newProducts(
  lines: readonly { productId?: string | null }[],
  present: readonly { productId?: string | null }[] = [],
): string[] {
  const known = new Set(present.map(({ productId }) => productId));
  return [...new Set(lines.flatMap(({ productId }) => (productId && !known.has(productId) ? productId : [])))];
}
