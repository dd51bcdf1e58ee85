import { emailAddress } from '#libs/http/email-field.js';
import { Field, listOf, name, nested, text } from '#libs/http/field.js';
import { MAX_LINES } from '#libs/lines/line.dto.js';
import { ChosenLine } from './proposal.parts.js';

const OPEN = { optional: true, nullable: true };

export class SendProposal {
  @Field(listOf(emailAddress(), { min: 1, max: 20, unique: true }), {
    description:
      'Recipients; by default the first address of the contact, else that of the account for invoices. Each gets a mail with a public link to the proposal.',
    example: ['buyer@globex.example'],
    optional: true,
  })
  to?: string[];

  @Field(text({ max: 5_000 }), {
    description: 'Message at the beginning of the mails, kept with the proposal.',
    ...OPEN,
  })
  message?: string | null;
}

/** The same as {@link SendProposal}. */
export class ResendProposal extends SendProposal {}

export class WithdrawProposal {
  @Field(text({ min: 1, max: 500 }), { description: 'Reason, kept in the audit log.', optional: true })
  reason?: string;
}

export class AcceptProposalOffline {
  @Field(name(200), { description: 'Name of the person who accepted.', example: 'Grace Hopper' })
  acceptedBy!: string;

  @Field(emailAddress(), { description: 'E-mail address of that person.', ...OPEN })
  email?: string | null;

  @Field(listOf(nested(ChosenLine), { max: MAX_LINES }), {
    description:
      'The optional lines that were accepted, and quantities that were chosen; by default what was selected in advance.',
    optional: true,
  })
  options?: ChosenLine[];
}

/** Input types of the actions of callers. */
export const PROPOSAL_INPUTS = {
  send: SendProposal,
  resend: ResendProposal,
  withdraw: WithdrawProposal,
  accept_offline: AcceptProposalOffline,
};
