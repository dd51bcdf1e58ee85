import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { oneByOne } from '#libs/database/one-by-one.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { TenantReader } from '#libs/tenants/tenant-reader.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { DEFAULT_SLOS, type Slo, type SloTerms } from './slo.js';

const ALL = `
  select coalesce(s.id, d.id) as id, coalesce(s.key, d.key) as key, coalesce(s.version, 1) as version,
    coalesce(s.definition, d.definition) as definition, s.archived_at as "archivedAt", s.created_at as "createdAt",
    s.updated_at as "updatedAt"
  from (${DEFAULT_SLOS}) d full join (select * from data.slos where tenant_id = $1) s on s.id = d.id
  order by d.place, s.created_at, s.key`;
const SAVE = `
  insert into data.slos as s (tenant_id, id, key, version, definition, archived_at, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (tenant_id, id) do update set version = excluded.version, definition = excluded.definition,
    archived_at = excluded.archived_at, updated_at = excluded.updated_at`;

interface Row extends Pick<Slo, 'id' | 'key' | 'version' | 'archivedAt'> {
  definition: Omit<SloTerms, 'key'>;
  /** Null if it has no row: it is as old as the tenant. */
  createdAt: string | null;
  updatedAt: string | null;
}

/** The objectives of the current tenant. */
@Injectable()
export class SloRepository {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantReader,
  ) {}

  /** All of them, archived ones too: first the defaults, then the others by age. */
  async all(): Promise<Slo[]> {
    const { id } = currentTenant();
    const rows = await this.database.read<Row>(statement(ALL, [id]));
    const { createdAt: since } = await this.tenants.current();
    return rows.map(({ definition, createdAt, updatedAt, ...row }) => ({
      ...row,
      ...definition,
      createdAt: createdAt ?? since,
      updatedAt: updatedAt ?? since,
    }));
  }

  /** As {@link all}; others who change objectives wait. */
  async lock(transaction: Transaction): Promise<Slo[]> {
    await transaction.query(oneByOne('slos'));
    return this.all();
  }

  save({ id, key, version, archivedAt, createdAt, updatedAt, ...terms }: Slo): Statement {
    const definition = JSON.stringify(terms);
    return statement(SAVE, [currentTenant().id, id, key, version, definition, archivedAt, createdAt, updatedAt]);
  }
}
