import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { Invitation, invitations } from './invitation.js';

const MAILS = `
  select subject_id as id, count(*) filter (where state = 'sent') as "sentCount", count(*) as "mailCount",
    max(finished_at) filter (where state = 'sent') as "lastSentAt",
    (array_agg(state order by created_at desc, id desc))[1] as "mailStatus"
  from data.mails where tenant_id = $1 and subject_id = any($2::uuid[]) group by subject_id`;
const MEMBERS = `select email_lower as email from data.memberships
  where tenant_id = $1 and email_lower = any($2::text[]) and status <> 'invited' and deleted_at is null`;
const PENDING = `select email_lower as email from data.invitations
  where tenant_id = $1 and email_lower = any($2::text[]) and status = 'pending'`;
const ROLES = `select id, name from data.roles where tenant_id = $1 and id = any($2::uuid[])`;
const OF_MAPPING = `select 1 from data.talent_mappings where tenant_id = $1 and invitation_id = $2 limit 1`;
const OPEN_WORKSPACES = `select id from data.workspaces
  where tenant_id = $1 and id = any($2::uuid[]) and archived_at is null`;
const FREE_SEAT = `update data.invitations set status = 'accepted' where tenant_id = $1 and id = $2`;
const ELSEWHERE = `select 1 from data.memberships
  where tenant_id = $1 and user_id = $2 and email_lower <> data.fold($3) and deleted_at is null`;
const UNTIED = `select 1 from data.people_employees where tenant_id = $1 and id = $2 and membership_id is null
  and status <> 'terminated' and deleted_at is null for no key update`;
const ACCEPTED = `select 1 from data.invitations
  where tenant_id = $1 and employee_id = $2 and accepted_membership_id = $3`;
const OPEN = `select directory.open_invitation($1, $2, $3)`;
const CLOSE = `select directory.close_invitation($1)`;

/** Figures about the mails of an invitation. */
export interface MailFigures {
  sentCount: number;
  /** Including those that have not been sent. */
  mailCount: number;
  lastSentAt: string | null;
  mailStatus: string | null;
}

/** The representation of an invitation for administrators. */
export function present(row: Invitation, figures: MailFigures): Invitation & { object: string } {
  return { ...row, ...figures, object: invitations.type };
}

const NO_MAILS: MailFigures = { sentCount: 0, mailCount: 0, lastSentAt: null, mailStatus: null };

@Injectable()
export class InvitationsRepository extends ResourceRepository<Invitation> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Invitation);
  }

  /** Locks the pending invitations for an employee. */
  lockOpenFor(transaction: Transaction, employeeId: string): Promise<Invitation[]> {
    return this.lockAll(transaction, (add) => `(t.employee_id = ${add(employeeId)} and t.status = 'pending')`);
  }

  /** Figures of the mails about each of the invitations. */
  async mails(ids: readonly string[]): Promise<(id: string) => MailFigures> {
    const rows = await this.database.read<MailFigures & { id: string }>(statement(MAILS, [currentTenant().id, ids]));
    const found = new Map(rows.map(({ id, ...figures }) => [id, figures]));
    return (id) => found.get(id) ?? NO_MAILS;
  }

  /** Those of the addresses, in lower case, that belong to members beyond the status `invited`. */
  ofMembers(transaction: Transaction, emails: readonly string[]): Promise<Set<string>> {
    return this.emails(transaction, MEMBERS, emails);
  }

  /** Those of the addresses, in lower case, that have an open invitation. */
  pending(transaction: Transaction, emails: readonly string[]): Promise<Set<string>> {
    return this.emails(transaction, PENDING, emails);
  }

  /** Names of the custom roles among these, by id. */
  async customRoles(ids: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.database.read<{ id: string; name: string }>(statement(ROLES, [currentTenant().id, ids]));
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  /** Whether a talent mapping has sent the invitation. */
  async isOfMapping(transaction: Transaction, id: string): Promise<boolean> {
    return (await transaction.query(statement(OF_MAPPING, [currentTenant().id, id]))).length > 0;
  }

  /** Those of the workspaces that can be joined. */
  async openWorkspaces(transaction: Transaction, ids: readonly string[]): Promise<string[]> {
    const rows = await transaction.query<{ id: string }>(statement(OPEN_WORKSPACES, [currentTenant().id, ids]));
    return rows.map(({ id }) => id);
  }

  /** Releases the seat of an invitation for the membership that is about to take it. */
  freeSeat(id: string): Statement {
    return statement(FREE_SEAT, [currentTenant().id, id]);
  }

  /** Whether a person is a member under another address. */
  async isElsewhere(transaction: Transaction, userId: string, email: string): Promise<boolean> {
    const rows = await transaction.query(statement(ELSEWHERE, [currentTenant().id, userId, email]));
    return rows.length > 0;
  }

  /** Whether an employee can still be linked to a membership; locks the employee until the transaction ends. */
  async isUntied(transaction: Transaction, employeeId: string): Promise<boolean> {
    const rows = await transaction.query(statement(UNTIED, [currentTenant().id, employeeId]));
    return rows.length > 0;
  }

  /** Whether the holder of a membership has accepted an invitation for an employee. */
  async isAccepted(transaction: Transaction, employeeId: string, membershipId: string): Promise<boolean> {
    const query = statement(ACCEPTED, [currentTenant().id, employeeId, membershipId]);
    return (await transaction.query(query)).length > 0;
  }

  /** Makes a token valid for an invitation; an earlier one becomes invalid. */
  openWith(tokenHash: Buffer, { id, email }: Invitation): Statement {
    return statement(OPEN, [id, tokenHash, email]);
  }

  /** Invalidates all tokens of an invitation. */
  closeTokens(id: string): Statement {
    return statement(CLOSE, [id]);
  }

  private async emails(transaction: Transaction, text: string, emails: readonly string[]): Promise<Set<string>> {
    const rows = await transaction.query<{ email: string }>(statement(text, [currentTenant().id, emails]));
    return new Set(rows.map(({ email }) => email));
  }
}
