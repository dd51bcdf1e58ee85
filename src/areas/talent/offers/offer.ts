import { Column } from 'typeorm';
import { civilDate, id, instant, nested, oneOf } from '#libs/http/field.js';
import { MAIL_STATES, MAIL_STATES_TEXT, type MailState } from '#libs/mail/mail-states.js';
import { Attribute, Derived, Mapped, ReadOnly } from '#libs/resource/types/attribute.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType, type Shown } from '#libs/resource/types/record-type.js';
import { WORKSPACE_OF_APPLICATION } from '../applications/application.parts.js';
import { EMPLOYMENT_TYPES, type EmploymentType, jobTitle, OfferPay, type PayPeriod } from '../talent.parts.js';
import { offerLifecycle, type OfferStatus } from './offer.lifecycle.js';

/** An offer of employment to a candidate. */
export class Offer extends RecordRow {
  @ReadOnly(oneOf(offerLifecycle.states), 'State of the offer.', { example: 'draft', filter: true })
  status!: OfferStatus;

  @Attribute(id(), 'Open application that the offer answers.', {
    example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b24',
    once: true,
    names: { table: 'data.talent_applications' },
    filter: true,
  })
  applicationId!: string;

  @Attribute(jobTitle(), 'Job title.', { example: 'Backend engineer', nullable: true, privacy: 'personal' })
  jobTitle!: string | null;

  @Attribute(oneOf(EMPLOYMENT_TYPES), 'Kind of employment; `full_time` by default.', { default: 'full_time' })
  employmentType!: EmploymentType;

  @Attribute(civilDate(), 'First day of work.', {
    example: '2027-01-04',
    nullable: true,
    sort: true,
    privacy: 'personal',
  })
  startDate!: string | null;

  @Mapped(nested(OfferPay), 'Pay.', { nullable: true, privacy: 'sensitive' })
  pay?: OfferPay | null;

  @Attribute(instant(), 'Time until which the offer can be accepted, in the future; without one it does not expire.', {
    nullable: true,
    filter: true,
    sort: true,
  })
  expiresAt!: string | null;

  @ReadOnly(instant(), 'Time at which the offer was sent.', { nullable: true, filter: true })
  sentAt!: string | null;

  @Derived(
    oneOf(MAIL_STATES),
    `State of the newest mail with the offer, where one offer is read; null elsewhere, and if there is none. ${MAIL_STATES_TEXT}`,
    { example: 'sent', nullable: true, told: false },
  )
  mailStatus?: MailState | null;

  @ReadOnly(instant(), 'Time at which the offer was accepted.', { nullable: true })
  acceptedAt!: string | null;

  @Column('bigint', { name: 'pay_amount_minor', nullable: true })
  payAmountMinor!: number | null;

  @Column('text', { name: 'pay_currency', nullable: true })
  payCurrency!: string | null;

  @Column('text', { name: 'pay_period', nullable: true })
  payPeriod!: PayPeriod | null;
}

export type ShownOffer = Shown<Offer>;

export const offers = recordType(Offer, {
  area: 'talent',
  collection: 'offers',
  noun: 'offer',
  prefix: 'OFF',
  partOf: 'applicationId',
  permissions: { read: 'offers:read', write: 'offers:write' },
  reach: { workspace: WORKSPACE_OF_APPLICATION },
  name: { example: 'Backend engineer', about: 'Label; by default the job title, or else `Offer`.', default: 'Offer' },
  lifecycle: offerLifecycle,
  problems: {
    create: ['application_closed', 'duplicate', 'record_locked'],
    submit: ['application_closed', 'record_locked'],
    approve: ['application_closed', 'record_locked'],
    send: ['application_closed', 'do_not_contact', 'offer_expired', 'record_locked'],
    accept: ['application_closed', 'offer_expired', 'record_locked'],
    decline: ['record_locked'],
    expire: ['record_locked'],
    withdraw: ['record_locked'],
  },
  bodies: { update: { startDate: '2027-01-04', pay: { amountMinor: 7200000, currency: 'EUR', period: 'year' } } },
});
