import type { MigrationInterface, QueryRunner } from 'typeorm';
import { alphabetIndex } from '#libs/database/alphabet.js';
import { guardHeldRecords, keepUnderHold } from '#libs/database/legal-holds.js';
import { keepAccountLive, keepLive } from '#libs/database/live-reference.js';
import { listIndexes, recordTable } from '#libs/database/record-table.js';
import { searchedWords, searchFunction } from '#libs/database/search.js';
import { sqlFunction } from '../functions.js';

const MOST = '9007199254740991';
const STATES = `'draft', 'pending_approval', 'approved', 'sent', 'viewed', 'accepted', 'declined', 'expired',
  'superseded', 'withdrawn'`;
const UNSENT = `('draft', 'pending_approval', 'approved')`;
/** What a customer accepts never changes after the submission. */
const FIXED = [
  ...['name', 'number', 'version_number', 'root_id', 'deal_id', 'currency', 'line_items', 'tax_inclusive'],
  ...['subtotal_minor', 'discount_minor', 'net_minor', 'tax_minor', 'total_minor', 'tax_breakdown'],
  ...['valid_until_date', 'introduction', 'terms'],
];

const words = (more: string) => searchedWords(`data.fold(name || ' ' || reference${more})`);
const amount = (column: string) => `${column} bigint not null check (${column} between -${MOST} and ${MOST})`;
const list = (column: string) => `${column} jsonb not null default '[]' check (
  case jsonb_typeof(${column}) when 'array' then jsonb_array_length(${column}) <= 500 else false end)`;

/** Proposals to customers, and texts that are used again in them. */
export class Proposals1763700000440 implements MigrationInterface {
  name = 'Proposals1763700000440';

  async up(runner: QueryRunner): Promise<void> {
    await proposals(runner);
    await contentBlocks(runner);
    await runner.query(`
      alter table data.sales_deals add column accepted_proposal_ids jsonb not null default '[]'
        check (jsonb_typeof(accepted_proposal_ids) = 'array')`);
    await runner.query(`
      alter table data.finance_invoices add column proposal_id uuid,
        add constraint finance_invoices_proposal foreign key (tenant_id, proposal_id)
          references data.proposals_proposals (tenant_id, id)`);
    await runner.query(`
      create index finance_invoices_proposal_id_filter_idx
        on data.finance_invoices (tenant_id, proposal_id, created_at desc, id desc)`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

async function proposals(runner: QueryRunner): Promise<void> {
  const table = 'data.proposals_proposals';
  await recordTable(
    runner,
    table,
    'proposals.proposal',
    `status text not null check (status in (${STATES})),
    number text not null check (length(number) between 1 and 40),
    version_number integer not null check (version_number between 1 and 1000),
    root_id uuid not null,
    superseded_by_id uuid,
    deal_id uuid,
    account_id uuid,
    contact_id uuid,
    currency text not null check (currency ~ '^[A-Z]{3}$'),
    ${list('line_items')},
    tax_inclusive boolean not null,
    ${amount('subtotal_minor')},
    ${amount('discount_minor')},
    ${amount('net_minor')},
    ${amount('tax_minor')},
    ${amount('total_minor')},
    tax_breakdown jsonb not null check (jsonb_typeof(tax_breakdown) = 'array'),
    valid_until_date date,
    expires_at timestamptz(3),
    introduction text check (length(introduction) <= 20000),
    terms text check (length(terms) <= 20000),
    approved_at timestamptz(3),
    sent_at timestamptz(3),
    sent_to jsonb not null default '[]' check (jsonb_typeof(sent_to) = 'array'),
    sent_message text check (length(sent_message) <= 5000),
    sender jsonb,
    viewed_at timestamptz(3),
    view_count integer not null default 0 check (view_count >= 0),
    acceptance jsonb,
    ${list('accepted_line_items')},
    accepted_net_minor bigint check (accepted_net_minor between 0 and ${MOST}),
    accepted_total_minor bigint check (accepted_total_minor between 0 and ${MOST}),
    deal_outcome text check (deal_outcome in ('won', 'already_won', 'not_open', 'not_permitted', 'gate')),
    decline_reason text check (length(decline_reason) <= 2000),
    search tsvector not null generated always as (${words(` || ' ' || number`)}) stored,
    constraint proposals_proposals_version_key unique (tenant_id, root_id, version_number),
    constraint proposals_proposals_root foreign key (tenant_id, root_id) references ${table} (tenant_id, id),
    constraint proposals_proposals_next foreign key (tenant_id, superseded_by_id) references ${table} (tenant_id, id),
    constraint proposals_proposals_deal foreign key (tenant_id, deal_id) references data.sales_deals (tenant_id, id),
    constraint proposals_proposals_account foreign key (tenant_id, account_id)
      references data.sales_accounts (tenant_id, id),
    constraint proposals_proposals_contact foreign key (tenant_id, contact_id)
      references data.sales_contacts (tenant_id, id),
    check ((status = 'accepted') = (acceptance is not null and accepted_total_minor is not null
      and accepted_net_minor is not null)),
    check ((status = 'superseded') = (superseded_by_id is not null)),
    check (status not in ('sent', 'viewed', 'accepted', 'declined', 'expired') or sent_at is not null),
    check (status <> 'accepted' or deleted_at is null)`,
  );
  // Of all versions of a proposal, one can be accepted.
  await runner.query(`
    create unique index proposals_proposals_accepted_once on ${table} (tenant_id, root_id) where status = 'accepted'`);
  await listIndexes(runner, table, {
    sorts: ['updated_at', 'status', 'total_minor', { column: 'valid_until_date', nullable: 'date' }],
    filters: ['status', 'deal_id', 'account_id', 'contact_id', 'valid_until_date', 'sent_at', 'number'],
    rareFilters: ['currency', 'deal_outcome', 'version_number', 'total_minor'],
  });
  await alphabetIndex(runner, table, 'name');
  await searchFunction(runner, table);
  await guardHeldRecords(runner, table, 'proposals.proposal');
  await keepUnderHold(runner, table);
  await keepAccountLive(runner, table);
  await keepLive(runner, table, { column: 'contact_id', target: 'data.sales_contacts', pointer: '/contactId' });
  await sqlFunction(runner, 'data.refuse_proposal_change');
  const changes = FIXED.map((column) => `new.${column} is distinct from old.${column}`).join(' or ');
  await runner.query(`
    create trigger keep_content before update on ${table} for each row
      when (old.status not in ${UNSENT} and (${changes})) execute function data.refuse_proposal_change()`);
}

async function contentBlocks(runner: QueryRunner): Promise<void> {
  const table = 'data.proposals_content_blocks';
  await recordTable(
    runner,
    table,
    'proposals.content_block',
    `kind text not null check (kind in ('introduction', 'terms', 'section')),
    locale text check (length(locale) between 2 and 35),
    body text not null check (length(body) between 1 and 20000),
    search tsvector not null generated always as (${words('')}) stored`,
  );
  await listIndexes(runner, table, { sorts: ['updated_at'], filters: ['kind'] });
  await alphabetIndex(runner, table, 'name');
  await searchFunction(runner, table);
  await guardHeldRecords(runner, table, 'proposals.content_block');
  await keepUnderHold(runner, table);
}
