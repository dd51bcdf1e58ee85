import type { MigrationInterface, QueryRunner } from 'typeorm';
import { OPERATOR } from '#libs/auth/principal.js';
import { definerFunction } from '#libs/database/definer.js';
import { migrationRoles } from '#libs/database/tenant-table.js';

const APPROVALS = 'data.home_approvals';
const HANDOFFS = 'data.sales_handoffs';
/** The person behind a credential of the table or alias `c`. */
const BEHIND = 'coalesce(c.member_id, c.maker_id, c.lineage_id)';

/** Who made the secret of an API key: where a second person is required, a key counts as its maker. */
export class PeopleBehindKeys1763700000220 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table directory.credentials add column maker_id uuid');
    await runner.query(`alter table ${APPROVALS} add column requester_behind uuid`);
    // Rows are changed by the owner, who otherwise sees none without a tenant.
    const tables = ['data.api_keys', APPROVALS, HANDOFFS];
    for (const table of tables) await runner.query(`alter table ${table} no force row level security`);
    await makersOfKeys(runner);
    await peopleOfRequests(runner);
    for (const table of tables) await runner.query(`alter table ${table} force row level security`);
    await runner.query(`alter table ${APPROVALS} alter column requester_behind set not null`);
    await functions(runner);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

/** The maker of each existing key, followed over the keys that made it; rotations count as the maker's own. */
async function makersOfKeys(runner: QueryRunner): Promise<void> {
  await runner.query(
    `with recursive origins as (
       select k.tenant_id, k.id as lineage_id, k.created_by, 0 as distance from data.api_keys k
       union all
       select o.tenant_id, o.lineage_id, k.created_by, o.distance + 1
       from origins o
         join directory.credentials c on c.tenant_id = o.tenant_id and c.id::text = o.created_by ->> 'id'
         join data.api_keys k on k.tenant_id = c.tenant_id and k.id = c.lineage_id
       where o.created_by ->> 'type' = 'api_key' and c.member_id is null),
     makers as (
       select distinct on (o.tenant_id, o.lineage_id) o.tenant_id, o.lineage_id,
         case o.created_by ->> 'type'
           when 'system' then $1::uuid
           when 'api_key' then coalesce(c.member_id, (o.created_by ->> 'id')::uuid)
           else (o.created_by ->> 'id')::uuid end as id
       from origins o left join directory.credentials c
         on c.tenant_id = o.tenant_id and c.id::text = o.created_by ->> 'id'
       order by o.tenant_id, o.lineage_id, o.distance desc)
     update directory.credentials c set maker_id = m.id from makers m
     where c.kind = 'api_key' and c.tenant_id = m.tenant_id and c.lineage_id = m.lineage_id`,
    [OPERATOR],
  );
}

/** The people behind what waits for a decision. */
async function peopleOfRequests(runner: QueryRunner): Promise<void> {
  await runner.query(`
    update ${APPROVALS} a set requester_behind = coalesce(
      (select ${BEHIND} from directory.credentials c where c.key_id = a.requester ->> 'keyId'), a.requester_person)`);
  await runner.query(`
    update ${APPROVALS} a set decisions = (
      select jsonb_agg(d.decision || jsonb_build_object('person', coalesce(
        (select ${BEHIND} from directory.credentials c
         where c.tenant_id = a.tenant_id and c.id::text = d.decision #>> '{by,id}'), (d.decision ->> 'person')::uuid))
        order by d.place)
      from jsonb_array_elements(a.decisions) with ordinality d (decision, place))
    where a.status = 'pending' and a.decisions <> '[]'`);
  await runner.query(`
    update ${HANDOFFS} h set submitted_by_person = ${BEHIND}
    from directory.credentials c
    where h.status = 'submitted' and c.tenant_id = h.tenant_id and c.id::text = h.submitted_by ->> 'id'`);
}

async function functions(runner: QueryRunner): Promise<void> {
  const { lookup, owner } = migrationRoles();
  await runner.query(`set local role ${lookup}`);
  await runner.query(`
    drop function directory.add_api_key(uuid, text, uuid, text, bytea, text[], boolean, text[], timestamptz,
      timestamptz, uuid)`);
  await runner.query(`set local role ${owner}`);
  await runner.query(`
    create function directory.add_api_key(credential uuid, key text, lineage uuid, label text, hash bytea,
        permitted text[], protected boolean, networks text[], made_at timestamptz, ends_at timestamptz, member uuid,
        maker uuid)
      returns void language sql security definer set search_path = pg_catalog as $$
      insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes,
          allow_protected, allowed_cidrs, created_at, expires_at, member_id, maker_id)
        values (credential, current_setting('app.tenant_id')::uuid, 'api_key', key, lineage, label, hash, permitted,
          protected, networks, made_at, ends_at, member, maker) $$`);
  await runner.query(`
    create function directory.maker_of(key text) returns uuid
      language sql stable security definer set search_path = pg_catalog as $$
      select c.maker_id from directory.credentials c where c.key_id = key $$`);
  await runner.query(`
    create function directory.keys_of_person(person uuid, keys uuid[]) returns setof uuid
      language sql stable security definer set search_path = pg_catalog as $$
      select distinct k.id from unnest(keys) k (id) join directory.credentials c on k.id in (c.id, c.lineage_id)
      where c.tenant_id = current_setting('app.tenant_id')::uuid and c.kind = 'api_key' and ${BEHIND} = person $$`);
  for (const signature of [
    'add_api_key(uuid, text, uuid, text, bytea, text[], boolean, text[], timestamptz, timestamptz, uuid, uuid)',
    'maker_of(text)',
    'keys_of_person(uuid, uuid[])',
  ])
    await definerFunction(runner, `directory.${signature}`);
}
