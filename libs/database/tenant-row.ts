import { Column, PrimaryColumn } from 'typeorm';

/**
 * The columns that all rows of a tenant have. Timestamps are RFC 3339 text, because rows are read without Date objects.
 */
export abstract class TenantRow {
  @PrimaryColumn('uuid', { name: 'tenant_id' })
  tenantId!: string;

  @PrimaryColumn('uuid')
  id!: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: string;
}

/** The columns of mutable rows; each change creates a version. */
export abstract class VersionedRow extends TenantRow {
  @Column('integer')
  version!: number;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: string;
}
