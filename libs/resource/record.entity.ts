import { Column, PrimaryColumn } from 'typeorm';

/** Who made or changed a record, as it was named then. */
export interface ActorStamp {
  type: string;
  id: string | null;
  name: string;
}

/** The record's id in another system. */
export interface ExternalRef {
  system: string;
  id: string;
  url: string | null;
}

/**
 * The columns that every tenant record has. Instants are RFC 3339 text, because rows are read without Date objects.
 * `archivedAt` hides a record from lists and makes it read-only; `deletedAt` puts it into the trash.
 */
export abstract class RecordRow {
  @PrimaryColumn('uuid', { name: 'tenant_id' })
  tenantId!: string;

  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  reference!: string;

  @Column('text')
  name!: string;

  @Column('uuid', { name: 'workspace_id', nullable: true })
  workspaceId!: string | null;

  /** Membership id. */
  @Column('uuid', { name: 'owner_id', nullable: true })
  ownerId!: string | null;

  @Column('jsonb')
  tags!: string[];

  @Column('jsonb', { name: 'custom_fields' })
  customFields!: Record<string, unknown>;

  @Column('jsonb', { name: 'external_refs' })
  externalRefs!: ExternalRef[];

  @Column('integer')
  version!: number;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: string;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: string;

  @Column('jsonb', { name: 'created_by' })
  createdBy!: ActorStamp;

  @Column('jsonb', { name: 'updated_by' })
  updatedBy!: ActorStamp;

  @Column('timestamptz', { name: 'archived_at', nullable: true })
  archivedAt!: string | null;

  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: string | null;
}

/** Columns that the kit fills itself. */
export const KIT_COLUMNS = [
  'tenantId',
  'id',
  'reference',
  'workspaceId',
  'ownerId',
  'tags',
  'customFields',
  'externalRefs',
  'version',
  'createdAt',
  'updatedAt',
  'createdBy',
  'updatedBy',
  'archivedAt',
  'deletedAt',
] as const;

/** Columns of {@link KIT_COLUMNS} that the caller sets. */
export const ENVELOPE = ['workspaceId', 'ownerId', 'tags', 'customFields', 'externalRefs'] as const;

/** These fields where nobody has set them. */
export const EMPTY_ENVELOPE = { workspaceId: null, ownerId: null, tags: [], customFields: {}, externalRefs: [] };

/** What an area says about a new record; the kit adds the rest. */
export type Draft<R extends RecordRow> = Omit<R, (typeof KIT_COLUMNS)[number]>;
