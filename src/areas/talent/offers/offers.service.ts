import { Injectable } from '@nestjs/common';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Draft } from '#libs/resource/record.entity.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ActionHandler } from '#libs/resource/resource-type.js';
import type { Guard } from '#libs/resource/table.js';
import { ApplicationsService } from '../applications/applications.service.js';
import { ofApplicationParts, ofSeenApplications } from '../candidate.visibility.js';
import { CandidatesService } from '../candidates/candidates.service.js';
import { ErasableService } from '../erasable.service.js';
import type { CreateOffer, OfferView } from './offer.dto.js';
import type { Offer } from './offer.entity.js';
import type { OfferAction } from './offer.lifecycle.js';
import { offerResource } from './offer.resource.js';
import { OffersRepository } from './offers.repository.js';

type Input = Record<string, unknown>;

/** Kind of the timer that ends an offer which nobody has answered. */
export const OFFER_EXPIRES = 'talent.offer.expired';

/** Offers to candidates, at most one live one for an application. */
@Injectable()
export class OffersService extends ErasableService<Offer, OfferView, OfferAction> {
  protected override readonly handlers: Partial<Record<OfferAction, ActionHandler<Offer>>> = {
    submit: (row) => this.whileOpen(row, {}),
    approve: (row) => this.whileOpen(row, {}),
    send: (row) => this.send(row),
    accept: (row) => this.accept(row),
  };

  constructor(
    kit: ResourceKit,
    protected override readonly repository: OffersRepository,
    private readonly applications: ApplicationsService,
    private readonly candidates: CandidatesService,
  ) {
    super(offerResource, kit, repository);
  }

  override onModuleInit(): void {
    super.onModuleInit();
    this.applications.whenEnding(async (applicationId) => {
      const id = await this.repository.idOfOpen(applicationId);
      if (id !== null) await this.follow('withdraw', id);
    });
    this.candidates.whenErased(async (applicationIds) => {
      await this.eraseAll(await this.repository.idsOfApplications(applicationIds), () => ({ name: 'Offer' }));
    });
  }

  override async create(input: Input): Promise<OfferView> {
    const row = await this.prepare(input);
    return this.unit(async (transaction) => {
      await this.applications.holdOpen(transaction, row.applicationId);
      return this.add(transaction, row);
    });
  }

  override async update(id: string, patch: Input): Promise<OfferView> {
    if (!('status' in patch)) return super.update(id, patch);
    return this.unit(async (transaction) => (await this.holdAround(transaction, id), super.update(id, patch)));
  }

  override async act(action: OfferAction, id: string, input: Input): Promise<OfferView> {
    return this.unit(async (transaction) => (await this.holdAround(transaction, id), super.act(action, id, input)));
  }

  /** Ends an offer whose time has run out; nothing for one that was answered. */
  async endUnanswered(id: string): Promise<void> {
    await this.unit(async (transaction) => {
      const row = await this.repository.lock(transaction, id);
      if (row?.status === 'sent' && row.expiresAt !== null && row.expiresAt <= this.now())
        await this.transit(transaction, row, 'expire', {});
    });
  }

  protected override guard(): Guard {
    return ofApplicationParts();
  }

  protected override secrecy(): Guard | null {
    return ofSeenApplications();
  }

  protected override derive({ payAmountMinor, payCurrency, payPeriod }: Offer): Partial<OfferView> {
    if (payAmountMinor === null || payCurrency === null || payPeriod === null) return { pay: null };
    return { pay: { amountMinor: payAmountMinor, currency: payCurrency, period: payPeriod } };
  }

  protected override async draft(body: Input): Promise<Draft<Offer>> {
    const input = body as unknown as CreateOffer; // validated against it
    const label = input.name ?? input.jobTitle ?? 'Offer';
    return { ...columnsOf(input), name: label } as unknown as Draft<Offer>; // its other members are columns
  }

  protected override edit(row: Offer, body: Input): Partial<Offer> {
    if (Object.keys(body).length > 0 && row.status !== 'draft')
      throw new Problem('record_locked', `The offer is ${row.status}: what it says stays as it is.`);
    return columnsOf(body);
  }

  /** An offer that waits for an answer has a timer, no other one has. */
  protected override apply(
    transaction: Transaction,
    row: Offer,
    changes: Partial<Offer>,
    event: string,
    why?: { riskLevel?: 'low' | 'medium' | 'high' | undefined },
  ): OfferView {
    const { status, expiresAt } = { ...row, ...changes };
    const name = { kind: OFFER_EXPIRES, key: row.id };
    if (status === 'sent' && row.status !== 'sent' && expiresAt !== null)
      transaction.write(timerStatement({ ...name, dueAt: expiresAt }));
    if (row.status === 'sent' && status !== 'sent') transaction.write(cancelStatement(name));
    return super.apply(transaction, row, changes, event, why);
  }

  private async send(row: Offer): Promise<Partial<Offer>> {
    this.refuseExpired(row);
    await this.unit(async (transaction) => {
      const { doNotContact } = await this.applications.holdOpen(transaction, row.applicationId);
      if (doNotContact) throw new Problem('do_not_contact', 'The candidate does not want to be contacted.');
    });
    return { sentAt: this.now() };
  }

  private async accept(row: Offer): Promise<Partial<Offer>> {
    this.refuseExpired(row);
    return this.whileOpen(row, { acceptedAt: this.now() });
  }

  private async whileOpen(row: Offer, changes: Partial<Offer>): Promise<Partial<Offer>> {
    await this.unit((transaction) => this.applications.holdOpen(transaction, row.applicationId));
    return changes;
  }

  private refuseExpired({ expiresAt }: Offer): void {
    if (expiresAt !== null && expiresAt <= this.now())
      throw new Problem('offer_expired', `The offer could be accepted until ${expiresAt}.`);
  }

  /** Locks candidate and application first, as who ends the application does. */
  private async holdAround(transaction: Transaction, id: string): Promise<void> {
    const { applicationId } = await this.read(id);
    await this.applications.holdAny(transaction, applicationId);
  }
}

function columnsOf(input: Partial<CreateOffer>): Partial<Offer> {
  const { pay, expiresAt, ...columns } = input;
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
