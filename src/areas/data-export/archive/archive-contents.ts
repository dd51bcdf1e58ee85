import { Injectable } from '@nestjs/common';
import { every, type Guard } from '#libs/access/guard.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { personOf } from '#libs/auth/principal.js';
import { fieldsOf } from '#libs/http/field.js';
import { didYouMean } from '#libs/http/problems/hints.js';
import { Problem } from '#libs/kernel/problem.js';
import { aboutKnownRecord } from '#libs/resource/access/disclosure.js';
import { ACTIONS } from '#libs/resource/lists/list-shape.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ResourceDefinition } from '#libs/resource/types/definition.js';
import type { DataExportRequest } from '../requests/export-request.js';
import { ARCHIVE_TABLES, type ArchiveTable } from './archive-tables.js';
import type { RowPlan } from './archive-rows.js';

const AUDIT = 'audit';

/** What decides about the contents of an archive. */
export type Wanted = Pick<DataExportRequest, 'kind' | 'areas' | 'includeDeleted' | 'isFull' | 'snapshotAt'>;

/** What an archive does not contain, and why. */
export interface Omission {
  type: string;
  /** The permission that the requester lacks; null for fields that only a full archive has. */
  permission: string | null;
  /** Fields that are left out; null for the whole type. */
  fields: string[] | null;
}

/** Decides what an archive contains, with the rights of the caller. */
@Injectable()
export class ArchiveContents {
  constructor(private readonly kit: ResourceKit) {}

  /** @throws Problem 400 for areas that have no data. */
  refuseUnknownAreas(areas: readonly string[] | null): void {
    const known = [...new Set([...this.kit.registry.all(), ...ARCHIVE_TABLES].map(({ area }) => area))].sort();
    const violations = (areas ?? []).flatMap((area, index) => {
      if (known.includes(area)) return [];
      const detail = `There is no such area with data.${didYouMean(area, known)}`;
      return [{ pointer: `/areas/${index}`, code: 'unknown_area', detail }];
    });
    if (violations.length > 0) throw Problem.validation(violations);
  }

  /** The record types of an archive that the caller may read, and those that they may not. */
  types(wanted: Wanted): { found: ResourceDefinition[]; omitted: Omission[] } {
    const all = this.kit.registry.all().filter(({ area, data }) => isIn(wanted, area) && data.exportable);
    const { permissions } = currentPrincipal();
    const mayRead = ({ permissions: { read } }: ResourceDefinition) => permissions.has(read);
    const omitted = all.filter((each) => !mayRead(each));
    return {
      found: all.filter(mayRead),
      omitted: omitted.map(({ type, permissions: { read } }) => ({ type, permission: read, fields: null })),
    };
  }

  /** The other rows of an archive that the caller may read, and those that they may not. */
  tables(wanted: Wanted): { found: ArchiveTable[]; omitted: Omission[] } {
    const all = ARCHIVE_TABLES.filter(({ area, who }) => isIn(wanted, area) || isOfRecords(wanted, who));
    const { permissions } = currentPrincipal();
    const mayRead = ({ who }: ArchiveTable) => typeof who === 'object' || permissions.reach(who) === 'tenant';
    const omitted = all.filter((each) => !mayRead(each));
    return {
      found: all.filter(mayRead),
      omitted: omitted.map(({ type, who }) => ({ type, permission: who as string, fields: null })), // others may all be read
    };
  }

  /** The query of a list that shows the records of a type as the archive may contain them. */
  queryOf(definition: ResourceDefinition, wanted: Wanted): { query: Record<string, string>; omitted: Omission[] } {
    const { list, type, view, restricted = [] } = definition;
    const mayTrash = list.trashPermission !== undefined && currentPrincipal().permissions.has(list.trashPermission);
    const query: Record<string, string> = wanted.includeDeleted && mayTrash ? { includeDeleted: 'true' } : {};
    const hidden = wanted.isFull ? [] : restricted.flatMap(({ fields }) => fields);
    if (hidden.length === 0) return { query, omitted: [] };
    const shown = [...fieldsOf(view).keys()].filter((field) => field !== ACTIONS && !hidden.includes(field));
    return { query: { ...query, fields: shown.join(',') }, omitted: [{ type, permission: null, fields: hidden }] };
  }

  /** Limits the rows of a table to those that belong to the archive and that the caller may read. */
  rowsOf({ who, owner }: ArchiveTable, { made, isDeletable }: RowPlan, wanted: Wanted): Guard | null {
    const { isFull, includeDeleted, snapshotAt } = wanted;
    const me = personOf(currentPrincipal());
    return every(
      this.sightOf(who, wanted),
      isDeletable && !includeDeleted ? LIVING : null,
      owner === undefined || isFull ? null : (add) => `t.${owner} = ${add(me)}::uuid`,
      made === null ? null : (add) => `t.${made} <= ${add(snapshotAt)}`,
    );
  }

  /** Limits rows about records to those whose records belong to the archive and may be known; null for all others. */
  sightOf(who: ArchiveTable['who'], wanted: Wanted): Guard | null {
    if (typeof who === 'string') return null;
    const types = this.types(wanted).found.map(({ type }) => type);
    const known = aboutKnownRecord(this.kit.registry, who, () => (wanted.includeDeleted ? null : LIVING));
    return every((add) => `${who.type} = any(${add(types)}::text[])`, known);
  }
}

const LIVING: Guard = () => 't.deleted_at is null';

/** Columns of a table that an archive does not contain. */
export function columnsWithout({ without = [], restricted = [] }: ArchiveTable, { isFull }: Wanted): string[] {
  return isFull ? [...without] : [...without, ...restricted];
}

function isIn({ kind, areas }: Wanted, area: string): boolean {
  if (kind === 'tenant' || kind === 'subject') return true;
  return kind === 'audit' ? area === AUDIT : areas!.includes(area);
}

/** What is about records belongs to the archive of their area. */
function isOfRecords({ kind }: Wanted, who: ArchiveTable['who']): boolean {
  return kind === 'area' && typeof who === 'object';
}
