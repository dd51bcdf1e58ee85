import type { QueryRunner } from 'typeorm';
import { keepLive } from '#libs/database/live-reference.js';
import { tenantTable } from '#libs/database/tenant-table.js';

/**
 * A trigger function that refuses a reference to a record that is in the trash or was merged into another one. It locks
 * the target against both until the transaction ends, so that no reference slips in behind a merge or a deletion, which
 * take the row `for update`. Arguments: table of the target, column, JSON pointer of the field.
 */
export async function liveReferences(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create function data.expect_live() returns trigger language plpgsql set search_path = pg_catalog as $$
    declare
      found boolean;
    begin
      execute format('select true from %s where tenant_id = $1 and id = $2 and deleted_at is null
        and merged_into_id is null for key share', tg_argv[0])
        into found using new.tenant_id, (to_jsonb(new) ->> tg_argv[1])::uuid;
      if found is null then
        raise exception '%', tg_argv[2] using errcode = 'TOP04';
      end if;
      return null;
    end $$`);
}

/** No account is above itself. Each step up locks the account, so that two changes cannot close a ring together. */
export async function noRingOfParents(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create function data.refuse_parent_ring() returns trigger language plpgsql set search_path = pg_catalog as $$
    declare
      above uuid := new.parent_account_id;
    begin
      while above is not null loop
        if above = new.id then
          raise exception 'An account is above itself.'
            using errcode = '23514', constraint = 'sales_accounts_parent_ring';
        end if;
        select a.parent_account_id into above from data.sales_accounts a
          where a.tenant_id = new.tenant_id and a.id = above for share;
      end loop;
      return null;
    end $$`);
  const call = `execute function data.refuse_parent_ring()`;
  await runner.query(
    `create trigger parent_ring after update on data.sales_accounts for each row
       when (new.parent_account_id is not null and new.parent_account_id is distinct from old.parent_account_id) ${call}`,
  );
}

/** Values of a JSON list also as rows, because JSON cannot be searched by an index behind row-level security. */
export async function sideRows(
  runner: QueryRunner,
  rows: { table: string; of: string; record: string; column: string; from: { column: string; value: string } },
): Promise<void> {
  const { table, of, record, column, from } = rows;
  await runner.query(`
    create table data.${table} (
      tenant_id uuid not null,
      ${column} text not null,
      ${record} uuid not null,
      primary key (tenant_id, ${column}, ${record}),
      foreign key (tenant_id, ${record}) references data.${of} (tenant_id, id)
    )`);
  await runner.query(`create index ${table}_record_idx on data.${table} (tenant_id, ${record})`);
  await tenantTable(runner, `data.${table}`, { grant: 'select, insert, delete' });
  await runner.query(`
    create function data.keep_${table}() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      if tg_op = 'UPDATE' then
        delete from data.${table} where tenant_id = new.tenant_id and ${record} = new.id;
      end if;
      insert into data.${table} (tenant_id, ${record}, ${column})
        select distinct new.tenant_id, new.id, ${from.value} from jsonb_array_elements_text(new.${from.column}) x;
      return null;
    end $$`);
  const call = `execute function data.keep_${table}()`;
  await runner.query(
    `create trigger keep_new_${from.column}_rows after insert on data.${of} for each row
       when (new.${from.column} <> '[]') ${call}`,
  );
  await runner.query(
    `create trigger keep_${from.column}_rows after update on data.${of} for each row
       when (new.${from.column} is distinct from old.${from.column}) ${call}`,
  );
}

/**
 * The contacts of a deal belong to its account or to none. Checked from both sides: a deal locks its contacts while it looks
 * at them, and a contact that changes its account looks at its deals. A merge of accounts moves both and so defers it.
 */
export async function contactsOfDeals(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.sales_deal_contacts (
      tenant_id uuid not null,
      contact_id uuid not null,
      deal_id uuid not null,
      primary key (tenant_id, contact_id, deal_id),
      foreign key (tenant_id, deal_id) references data.sales_deals (tenant_id, id),
      foreign key (tenant_id, contact_id) references data.sales_contacts (tenant_id, id)
    )`);
  await runner.query(`create index sales_deal_contacts_deal_idx on data.sales_deal_contacts (tenant_id, deal_id)`);
  await tenantTable(runner, 'data.sales_deal_contacts', { grant: 'select, insert, delete' });
  await keepLive(runner, 'data.sales_deal_contacts', {
    column: 'contact_id',
    target: 'data.sales_contacts',
    pointer: '/contactIds',
  });
  await runner.query(`
    create function data.keep_deal_contacts() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      delete from data.sales_deal_contacts d
        where d.tenant_id = new.tenant_id and d.deal_id = new.id
          and d.contact_id is distinct from new.primary_contact_id and not new.contact_ids ? d.contact_id::text;
      insert into data.sales_deal_contacts (tenant_id, deal_id, contact_id)
        select new.tenant_id, new.id, value::uuid from jsonb_array_elements_text(new.contact_ids)
        union select new.tenant_id, new.id, new.primary_contact_id where new.primary_contact_id is not null
        on conflict (tenant_id, contact_id, deal_id) do nothing;
      return null;
    end $$`);
  await runner.query(`
    create function data.check_contacts_of_deal() returns trigger language plpgsql set search_path = pg_catalog as $$
    declare
      account uuid;
    begin
      select d.account_id into account from data.sales_deals d where d.tenant_id = new.tenant_id and d.id = new.id;
      perform from data.sales_deal_contacts x join data.sales_contacts c
        on c.tenant_id = x.tenant_id and c.id = x.contact_id
        where x.tenant_id = new.tenant_id and x.deal_id = new.id order by c.id for share of c;
      if exists (select from data.sales_deal_contacts x join data.sales_contacts c
          on c.tenant_id = x.tenant_id and c.id = x.contact_id
          where x.tenant_id = new.tenant_id and x.deal_id = new.id
            and (c.account_id <> account or c.account_id is not null and account is null)) then
        raise exception 'A contact of the deal belongs to another account.'
          using errcode = '23514', constraint = 'sales_deals_contact_of_account';
      end if;
      return null;
    end $$`);
  await runner.query(`
    create function data.check_deals_of_contact() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      if exists (select from data.sales_contacts c
          join data.sales_deal_contacts x on x.tenant_id = c.tenant_id and x.contact_id = c.id
          join data.sales_deals d on d.tenant_id = x.tenant_id and d.id = x.deal_id
          where c.tenant_id = new.tenant_id and c.id = new.id and c.account_id is not null
            and d.account_id is distinct from c.account_id) then
        raise exception 'A deal of another account has the contact.'
          using errcode = '23514', constraint = 'sales_contacts_account_of_deals';
      end if;
      return null;
    end $$`);
  const some = `(new.primary_contact_id is not null or new.contact_ids <> '[]')`;
  const others = `new.primary_contact_id is distinct from old.primary_contact_id or new.contact_ids <> old.contact_ids`;
  // The names decide the order: first the rows are kept, then they are checked.
  const triggers = [
    `trigger keep_new_contacts after insert on data.sales_deals for each row
       when ${some} execute function data.keep_deal_contacts()`,
    `trigger keep_contacts after update on data.sales_deals for each row
       when (${others}) execute function data.keep_deal_contacts()`,
    `constraint trigger kept_new_contacts_fit after insert on data.sales_deals deferrable for each row
       when ${some} execute function data.check_contacts_of_deal()`,
    `constraint trigger kept_contacts_fit after update on data.sales_deals deferrable for each row
       when (${others} or new.account_id is distinct from old.account_id)
       execute function data.check_contacts_of_deal()`,
    `constraint trigger deals_fit after update on data.sales_contacts deferrable for each row
       when (new.account_id is not null and new.account_id is distinct from old.account_id)
       execute function data.check_deals_of_contact()`,
  ];
  for (const trigger of triggers) await runner.query(`create ${trigger}`);
}
