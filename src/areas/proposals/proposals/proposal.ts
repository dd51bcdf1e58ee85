import { Column } from 'typeorm';
import type { Guarantor } from '#libs/auth/guarantors.js';
import { emailAddress } from '#libs/http/email-field.js';
import { civilDate, flag, id, instant, integer, listOf, nested, number, oneOf, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { LineView, MAX_LINES, TaxBreakdownView } from '#libs/lines/line.dto.js';
import { MAIL_STATES, MAIL_STATES_TEXT, type MailState } from '#libs/mail/mail-states.js';
import { Attribute, Derived, ReadOnly } from '#libs/resource/types/attribute.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType, type Shown } from '#libs/resource/types/record-type.js';
import { PROPOSAL_INPUTS } from './proposal.actions.js';
import { type ProposalAction, proposalLifecycle, type ProposalStatus } from './proposal.lifecycle.js';
import {
  Acceptance,
  dealOutcome,
  type DealOutcome,
  PROPOSAL_LINE_EXAMPLE,
  ProposalLink,
  ProposalLine,
  ProposalLineInput,
} from './proposal.parts.js';

const LIVE = 'deleted_at is null and merged_into_id is null';
const signed = integer({ min: -MAX_MINOR, max: MAX_MINOR });

/** An offer to a customer. Each version is a record of its own; all have one number. */
export class Proposal extends RecordRow {
  @ReadOnly(text({ max: 40 }), 'Number of the proposal, the same for all its versions.', {
    example: 'PROP-000001',
    filter: true,
  })
  number!: string;

  @ReadOnly(integer({ min: 1, max: 1_000 }), 'Number of the version, from 1.', { example: 1, filter: true })
  versionNumber!: number;

  /** The first version, which is its own root. */
  @Column('uuid', { name: 'root_id' })
  rootId!: string;

  @ReadOnly(id(), 'The next version; null in the newest one.', { nullable: true })
  supersededById!: string | null;

  @ReadOnly(oneOf(proposalLifecycle.states), 'State of the proposal.', { example: 'draft', filter: true, sort: true })
  status!: ProposalStatus;

  @Attribute(id(), 'Deal that its acceptance wins.', {
    nullable: true,
    names: { table: 'data.sales_deals' },
    filter: true,
  })
  dealId!: string | null;

  @Attribute(id(), 'Account of the customer; by default that of the deal.', {
    nullable: true,
    names: { table: 'data.sales_accounts', where: LIVE },
    filter: true,
  })
  accountId!: string | null;

  @Attribute(id(), 'Contact who receives it; by default the primary contact of the deal.', {
    nullable: true,
    names: { table: 'data.sales_contacts', where: LIVE },
    filter: true,
  })
  contactId!: string | null;

  @Attribute(
    currencyCode(),
    'ISO 4217 code; by default that of the deal, else of the account, else the tenant’s base currency. With a deal it must be that of the deal.',
    { example: 'USD', optional: true, filter: true },
  )
  currency!: string;

  @Attribute(
    listOf(nested(ProposalLine), { max: MAX_LINES }),
    'Lines; by default those of the deal. The customer can leave out optional ones, and choose between quantities.',
    { given: listOf(nested(ProposalLineInput), { max: MAX_LINES }), optional: true },
  )
  lineItems!: ProposalLine[];

  @Attribute(flag(), 'Whether unit prices include tax; false by default.', { default: false })
  taxInclusive!: boolean;

  @ReadOnly(signed, 'Sum of the selected lines before discounts, in minor units.', { example: 240000 })
  subtotalMinor!: number;

  @ReadOnly(signed, 'Sum of their discounts, in minor units.', { example: 0 })
  discountMinor!: number;

  @ReadOnly(signed, 'Total of the selected lines after discounts and without tax, in minor units.', { example: 240000 })
  netMinor!: number;

  @ReadOnly(signed, 'Sum of their taxes, in minor units.', { example: 48000 })
  taxMinor!: number;

  @ReadOnly(signed, 'Total of the selected lines with tax, in minor units.', {
    example: 288000,
    filter: true,
    sort: true,
  })
  totalMinor!: number;

  @ReadOnly(listOf(nested(TaxBreakdownView), { max: MAX_LINES }), 'Taxes of the selected lines.', {
    example: [{ taxRateId: null, name: null, percent: 20, baseMinor: 240000, taxMinor: 48000 }],
  })
  taxBreakdown!: TaxBreakdownView[];

  @Derived(
    signed,
    'Net total less the cost of the products, in minor units; null unless the cost of every selected line is known.',
    { example: null, nullable: true },
  )
  marginMinor?: number | null;

  @Derived(number({ min: -1_000_000_000, max: 100 }), 'The same in percent of the net total.', {
    example: null,
    nullable: true,
  })
  marginPercent?: number | null;

  @Attribute(civilDate(), 'Last day on which it can be accepted, in the tenant’s time zone; null for no end.', {
    example: '2026-12-21',
    nullable: true,
    filter: true,
    sort: true,
  })
  validUntilDate!: string | null;

  /** Instant at which it expires; set when it is sent. */
  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: string | null;

  @Attribute(text({ max: 20_000 }), 'Text before the lines.', { nullable: true })
  introduction!: string | null;

  @Attribute(text({ max: 20_000 }), 'Terms, after the lines.', { nullable: true })
  terms!: string | null;

  @ReadOnly(instant(), 'Time at which it was approved.', { nullable: true })
  approvedAt!: string | null;

  @ReadOnly(instant(), 'Time at which it was last sent.', { nullable: true, filter: true })
  sentAt!: string | null;

  @ReadOnly(listOf(emailAddress(), { max: 20 }), 'Recipients when it was last sent.', {
    default: [],
    privacy: 'personal',
  })
  sentTo!: string[];

  @ReadOnly(text({ max: 5_000 }), 'Message to these recipients.', { nullable: true, privacy: 'personal' })
  sentMessage!: string | null;

  /** Who sent it, and must still be allowed to win the deal when the customer accepts. */
  @Column('jsonb', { name: 'sender', nullable: true })
  sender!: Guarantor | null;

  @Derived(
    oneOf(MAIL_STATES),
    `State of the newest mail with the proposal, where one proposal is read; null elsewhere, and if there is none. ${MAIL_STATES_TEXT}`,
    { example: 'sent', nullable: true, told: false },
  )
  mailStatus?: MailState | null;

  @Derived(
    nested(ProposalLink),
    'Newest public link to this version, where one proposal is read; null elsewhere, and if there is none.',
    { example: null, nullable: true, told: false },
  )
  publicLink?: ProposalLink | null;

  @ReadOnly(instant(), 'Time at which it was first opened by a public link.', { nullable: true })
  viewedAt!: string | null;

  @ReadOnly(integer({ min: 0, max: 2_147_483_647 }), 'How often it was opened by a public link.', {
    default: 0,
    told: false,
  })
  viewCount!: number;

  @ReadOnly(nested(Acceptance), 'Who accepted it, and what of it; null before.', {
    nullable: true,
    privacy: 'personal',
  })
  acceptance!: Acceptance | null;

  @ReadOnly(
    listOf(nested(LineView), { max: MAX_LINES }),
    'The lines that were accepted, in the quantities that were chosen. The deal gets them.',
    { default: [] },
  )
  acceptedLineItems!: LineView[];

  @ReadOnly(integer({ min: 0, max: MAX_MINOR }), 'Total that was accepted, without tax, in minor units; null before.', {
    nullable: true,
  })
  acceptedNetMinor!: number | null;

  @ReadOnly(integer({ min: 0, max: MAX_MINOR }), 'Total that was accepted, with tax, in minor units; null before.', {
    nullable: true,
  })
  acceptedTotalMinor!: number | null;

  @ReadOnly(
    dealOutcome,
    'What became of the deal at the acceptance; null before and without a deal. `won`: it has the accepted lines and value. `already_won`: it was won before and kept its lines. Otherwise somebody has to win it by hand: `not_open`: it was in the trash or archived; `not_permitted`: whoever sent the proposal may not win the deal any more; `gate`: the gate `deal.win` holds for it.',
    { nullable: true, filter: true },
  )
  dealOutcome!: DealOutcome | null;

  @ReadOnly(text({ max: 2_000 }), 'Reason that the customer gave for declining it.', { nullable: true })
  declineReason!: string | null;
}

/** A proposal as the API shows it. */
export type ShownProposal = Shown<Proposal>;

/** Request body that creates or changes a proposal. `revises` is the version that a new one replaces. */
export type ProposalInput = Partial<Omit<Proposal, 'lineItems'>> & {
  lineItems?: ProposalLineInput[];
  revises?: Proposal;
};

const type = recordType<Proposal, ProposalAction>(Proposal, {
  area: 'proposals',
  collection: 'proposals',
  noun: 'proposal',
  prefix: 'PROP',
  permissions: { read: 'proposals:read', write: 'proposals:write' },
  name: { example: 'Workshops for Globex', about: 'Subject; `Proposal` by default.', default: 'Proposal' },
  lifecycle: proposalLifecycle,
  gateFacts: ['maxDiscountPercent', 'marginPercent'],
  inputs: PROPOSAL_INPUTS,
  besides: {
    accept_offline: [{ scope: 'deals:close', when: 'If the proposal has a deal that is open.' }],
  },
  problems: {
    create: ['currency_mismatch'],
    update: [
      'record_locked',
      'currency_mismatch',
      'lines_missing',
      'total_negative',
      'offer_expired',
      'account_blocked',
      'recipient_missing',
    ],
    submit: ['lines_missing', 'total_negative', 'offer_expired', 'currency_mismatch'],
    approve: ['offer_expired'],
    send: ['recipient_missing', 'account_blocked', 'offer_expired', 'currency_mismatch'],
    resend: ['recipient_missing', 'account_blocked', 'offer_expired'],
    accept_offline: ['offer_expired', 'total_negative'],
  },
  bodies: {
    create: {
      name: 'Workshops for Globex',
      lineItems: [{ description: 'Workshop', quantity: 2, unit: 'day', unitPriceMinor: 120_000, taxPercent: 20 }],
      validUntilDate: '2027-12-21',
    },
    update: { terms: 'Payable within 30 days', tags: ['workshops'] },
    send: { to: ['buyer@globex.example'], message: 'As discussed.' },
    accept_offline: { acceptedBy: 'Grace Hopper' },
  },
});

export const proposals = { ...type, example: { ...type.example, lineItems: [PROPOSAL_LINE_EXAMPLE] } };
