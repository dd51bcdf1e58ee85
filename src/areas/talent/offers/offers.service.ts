import { Injectable } from '@nestjs/common';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Asked, Change, Decisions, Input } from '#libs/resource/types/decisions.js';
import { pathOf } from '#libs/resource/types/definition.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import type { Guard } from '#libs/resource/lists/table.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { eraseParts } from '../applications/application.parts.js';
import { ApplicationsService } from '../applications/applications.service.js';
import { ofApplicationParts, ofSeenApplications } from '../candidate.visibility.js';
import { CandidatesService } from '../candidates/candidates.service.js';
import { CANDIDATE_MAILS, TalentLetters } from '../talent.letters.js';
import type { OfferAction } from './offer.lifecycle.js';
import { Offer, offers, type ShownOffer } from './offer.js';

type OfferDecisions = Decisions<Offer, ShownOffer, OfferAction>;

/** Kind of the timer for the expiry of an offer without a response. */
export const OFFER_EXPIRES = 'talent.offer.expired';

const UNANSWERED = `select id from data.talent_offers where tenant_id = $1 and application_id = $2
  and status in ('draft', 'pending_approval', 'approved', 'sent')`;

/** Offers to candidates, at most one live offer per application. */
@Injectable()
export class OffersService implements OfferDecisions {
  readonly actions: OfferDecisions['actions'] = {
    submit: (row) => this.whileOpen(row, {}),
    approve: (row) => this.whileOpen(row, {}),
    send: (row) => this.send(row),
    accept: (row) => this.accept(row),
  };
  readonly records: Records<Offer, ShownOffer, OfferAction>;
  private readonly repository: ResourceRepository<Offer>;

  constructor(
    kit: ResourceKit,
    private readonly applications: ApplicationsService,
    private readonly letters: TalentLetters,
    candidates: CandidatesService,
  ) {
    this.repository = kit.rows(Offer);
    this.records = Records.of(offers, kit, this, this.repository);
    applications.whenEnding((applicationId) => this.withdrawUnanswered(applicationId));
    candidates.whenErased((applicationIds) => eraseParts(this.records, applicationIds, () => ({ name: 'Offer' })));
  }

  /** Expires an offer without a response; does nothing if there was one. */
  async endUnanswered(id: string): Promise<void> {
    await this.records.unit(async (transaction) => {
      const row = await this.repository.lock(transaction, id);
      if (row?.status === 'sent' && row.expiresAt !== null && row.expiresAt <= this.records.rows.now())
        await this.records.transit(transaction, row, 'expire', {});
    });
  }

  /** The label may be the job title, and the pay is stored beside its field. */
  erased(): Partial<Offer> {
    return { name: 'Offer', payAmountMinor: null, payCurrency: null, payPeriod: null };
  }

  guard(): Guard {
    return ofApplicationParts();
  }

  secrecy(): Guard | null {
    return ofSeenApplications();
  }

  derive({ payAmountMinor, payCurrency, payPeriod }: Offer): Partial<ShownOffer> {
    if (payAmountMinor === null || payCurrency === null || payPeriod === null) return { pay: null, mailStatus: null };
    return { mailStatus: null, pay: { amountMinor: payAmountMinor, currency: payCurrency, period: payPeriod } };
  }

  async detail(view: ShownOffer): Promise<ShownOffer> {
    return { ...view, mailStatus: await this.letters.stateOf(view.id) };
  }

  draft(input: Partial<Offer>): Draft<Offer> {
    this.requireOpenEnd(input);
    return { ...columnsOf(input), name: input.name ?? input.jobTitle ?? 'Offer' } as Draft<Offer>; // the rest are columns
  }

  edit(row: Offer, patch: Partial<Offer>): Partial<Offer> {
    if (Object.keys(patch).length > 0 && row.status !== 'draft')
      throw new Problem('record_locked', `The offer is ${row.status} and cannot be changed.`);
    this.requireOpenEnd(patch);
    return columnsOf(patch);
  }

  /** Locks candidate and application before the offer, in the same order as closing an application does. */
  around<T>({ verb, id, input }: Asked, work: (input: Input) => Promise<T>): Promise<T> {
    if (id === null || (verb === 'update' && !('status' in input))) return work(input);
    return this.records.unit(async (transaction) => {
      const { applicationId } = await this.records.read(id);
      await this.applications.holdAny(transaction, applicationId);
      return work(input);
    });
  }

  async admit(transaction: Transaction, { applicationId }: Offer): Promise<void> {
    await this.applications.holdOpen(transaction, applicationId);
  }

  /** Only an offer that waits for a response has a timer; one that has not left yet is not sent any more. */
  async saved(transaction: Transaction, { before, after }: Change<Offer>): Promise<void> {
    const { id, status, expiresAt } = after;
    const name = { kind: OFFER_EXPIRES, key: id };
    if (status === 'sent' && before?.status !== 'sent') {
      if (expiresAt !== null) transaction.write(timerStatement({ ...name, dueAt: expiresAt }));
      await this.mail(transaction, after);
    }
    if (status !== 'sent' && before?.status === 'sent') {
      transaction.write(cancelStatement(name));
      this.letters.cancel(transaction, [id], after.updatedAt);
    }
  }

  private mail(transaction: Transaction, row: Offer): Promise<void> {
    const { id, applicationId, name, jobTitle, employmentType, startDate, expiresAt } = row;
    const offer = { name, jobTitle, employmentType, startDate, expiresAt, ...this.derive(row) };
    const letter = {
      kind: CANDIDATE_MAILS.offer,
      about: { object: offers.type, path: pathOf(offers), id },
      ...{ applicationId, purpose: 'offer', subject: 'Our offer', data: { offer }, isAnswered: true },
    };
    return this.letters.send(transaction, letter, row.updatedAt);
  }

  private async withdrawUnanswered(applicationId: string): Promise<void> {
    await this.records.unit(async (transaction) => {
      const query = statement(UNANSWERED, [currentTenant().id, applicationId]);
      const [offer] = await transaction.query<{ id: string }>(query); // no application has two
      if (offer) await this.records.follow('withdraw', offer.id);
    });
  }

  private async send(row: Offer): Promise<Partial<Offer>> {
    this.refuseExpired(row);
    await this.records.unit(async (transaction) => {
      const { doNotContact } = await this.applications.holdOpen(transaction, row.applicationId);
      if (doNotContact) throw new Problem('do_not_contact', 'The candidate does not want to be contacted.');
    });
    return { sentAt: this.records.rows.now() };
  }

  private async accept(row: Offer): Promise<Partial<Offer>> {
    this.refuseExpired(row);
    return this.whileOpen(row, { acceptedAt: this.records.rows.now() });
  }

  private async whileOpen(row: Offer, changes: Partial<Offer>): Promise<Partial<Offer>> {
    await this.records.unit((transaction) => this.applications.holdOpen(transaction, row.applicationId));
    return changes;
  }

  /** @throws Problem 400 for an offer that would already have expired. */
  private requireOpenEnd({ expiresAt }: Partial<Offer>): void {
    if (expiresAt != null && Date.parse(expiresAt) <= Date.parse(this.records.rows.now()))
      throw Problem.validation([
        { pointer: '/expiresAt', code: 'out_of_range', detail: 'The time must be in the future.' },
      ]);
  }

  private refuseExpired({ expiresAt }: Offer): void {
    if (expiresAt !== null && expiresAt <= this.records.rows.now())
      throw new Problem('offer_expired', `The offer could be accepted until ${expiresAt}.`);
  }
}

function columnsOf({ pay, expiresAt, ...columns }: Partial<Offer>): Partial<Offer> {
  return {
    ...columns,
    ...(expiresAt === undefined ? {} : { expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString() }),
    ...(pay === undefined
      ? {}
      : {
          payAmountMinor: pay?.amountMinor ?? null,
          payCurrency: pay?.currency ?? null,
          payPeriod: pay?.period ?? null,
        }),
  };
}
