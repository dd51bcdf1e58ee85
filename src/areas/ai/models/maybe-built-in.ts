import { Column } from 'typeorm';
import type { Guard } from '#libs/access/guard.js';
import { VersionedRow } from '#libs/database/tenant-row.js';
import { flag, instant, nested } from '#libs/http/field.js';
import { Attribute, Derived } from '#libs/resource/types/attribute.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import { ActorView } from '#libs/resource/types/record.dto.js';

const INSTANT = '2026-11-21T09:15:02.114Z';

/** A row of a type with one built-in object, which has no author and cannot be changed. */
export abstract class MaybeBuiltInRow extends VersionedRow {
  @Attribute(flag(), 'Set to false to have jobs not use it. True by default.', { example: true, default: true })
  enabled!: boolean;

  @Derived(flag(), 'True for the one that is part of the platform, which cannot be changed.', { example: false })
  isBuiltIn?: boolean;

  @Derived(instant(), 'Time of creation; null for the built-in one.', { example: INSTANT, nullable: true })
  override createdAt!: string;

  @Derived(nested(ActorView), 'Creator; null for the built-in one.', {
    example: { type: 'member', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40', name: 'Ana Silva' },
    nullable: true,
  })
  @Column('jsonb', { name: 'created_by' })
  createdBy!: ActorView;

  @Derived(instant(), 'Time of the last change; null for the built-in one.', { example: INSTANT, nullable: true })
  override updatedAt!: string;

  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: string | null;
}

type Stamp = 'createdAt' | 'createdBy' | 'updatedAt';

/** An object as the API shows it, possibly the built-in one. */
export type MaybeBuiltIn<R extends MaybeBuiltInRow> = Omit<ShownObject<R>, Stamp | 'isBuiltIn' | 'deletedAt'> & {
  [S in Stamp]: R[S] | null;
} & { isBuiltIn: boolean };

/** Deleted rows remain, because other rows refer to them. */
export const LIVING: Guard = () => 't.deleted_at is null';
