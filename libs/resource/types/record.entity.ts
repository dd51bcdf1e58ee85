import { Column } from 'typeorm';
import { ALPHABET } from '#libs/database/alphabet.js';
import { VersionedRow } from '#libs/database/tenant-row.js';

/** Who created or changed a record, with the name at that time. */
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
 * The columns that every record has. `archivedAt` hides a record from lists and makes it read-only; `deletedAt` puts it
 * into the trash.
 */
export abstract class RecordRow extends VersionedRow {
  @Column('text')
  reference!: string;

  @Column({ type: 'text', collation: ALPHABET })
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

  @Column('jsonb', { name: 'created_by' })
  createdBy!: ActorStamp;

  @Column('jsonb', { name: 'updated_by' })
  updatedBy!: ActorStamp;

  @Column('timestamptz', { name: 'archived_at', nullable: true })
  archivedAt!: string | null;

  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: string | null;
}

/** Columns that the kit fills. */
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

/** Defaults of these fields. */
export const EMPTY_ENVELOPE = { workspaceId: null, ownerId: null, tags: [], customFields: {}, externalRefs: [] };

/** Values of an erased record for tags, custom fields and the like. */
export const ERASED_ENVELOPE = { tags: [], customFields: {}, externalRefs: [] };

/** What an area provides for a new record; the kit adds the rest. */
export type Draft<R extends RecordRow> = Omit<R, (typeof KIT_COLUMNS)[number]>;
