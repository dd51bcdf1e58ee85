import { Injectable } from '@nestjs/common';
import { currentPrincipal, requirePermission } from '#libs/auth/current-principal.js';
import { escapePointer, fieldsOf } from '#libs/http/field.js';
import { didYouMean } from '#libs/http/problems/hints.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import { CUSTOM_FIELD_PREFIX } from '#libs/resource/lists/list-query.js';
import { concealedFields, readStoredFilter } from '#libs/resource/lists/stored-filter.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { pathOf, type ResourceDefinition } from '#libs/resource/types/definition.js';
import type { SavedView } from './saved-view.js';

type Wanted = Pick<SavedView, 'recordType' | 'filter' | 'sort' | 'columns'>;

/** Parameters that the list of a type accepts. */
@Injectable()
export class ViewRules {
  constructor(private readonly kit: ResourceKit) {}

  /** Types that the caller can read. */
  readableTypes(): string[] {
    const { permissions } = currentPrincipal();
    const known = this.kit.registry.all();
    return known.filter((each) => permissions.has(each.permissions.read)).map(({ type }) => type);
  }

  /** @throws Problem 400 with all parameters that the list does not accept, 403 if the caller cannot read the type. */
  async check({ recordType, filter, sort, columns }: Wanted): Promise<void> {
    const definition = this.kit.registry.ofType(recordType)?.definition;
    if (!definition)
      throw Problem.validation([
        { pointer: '/recordType', code: 'unknown_record_type', detail: 'There is no such type of record.' },
      ]);
    requirePermission(definition.permissions.read, { object: recordType, withinReach: true });
    const violations = [
      ...(await readStoredFilter(this.kit, definition, filter)).violations,
      ...sortFaults(definition, sort),
      ...columnFaults(definition, columns),
      ...forbidden(definition, filter, columns),
    ];
    if (violations.length > 0) throw Problem.validation(violations);
  }

  /** Path of the list. */
  pathOf({ recordType, filter, sort }: Wanted): string {
    const { definition } = this.kit.registry.ofType(recordType)!; // as it was checked
    const query = new URLSearchParams(filter);
    query.sort(); // the database keeps no order
    if (sort.length > 0) query.set('sort', sort.join(','));
    return query.size === 0 ? pathOf(definition) : `${pathOf(definition)}?${query.toString()}`;
  }
}

function sortFaults({ list }: ResourceDefinition, sort: readonly string[]): Violation[] {
  return sort.flatMap((term, index) =>
    list.sorts.includes(term.replace(/^-/, ''))
      ? []
      : [
          {
            pointer: `/sort/${index}`,
            code: 'invalid_value',
            detail: `The list can be sorted by ${list.sorts.join(', ')}.`,
          },
        ],
  );
}

function columnFaults({ view }: ResourceDefinition, columns: readonly string[]): Violation[] {
  const known = fieldsOf(view);
  return columns.flatMap((column, index) => {
    if (known.has(column) || (column.startsWith(CUSTOM_FIELD_PREFIX) && known.has('customFields'))) return [];
    const detail = `The records have no such field.${didYouMean(column, known.keys())}`;
    return [{ pointer: `/columns/${index}`, code: 'unknown_field', detail }];
  });
}

/** Rejects fields that the caller may not see, and the trash without permission. */
function forbidden(
  definition: ResourceDefinition,
  filter: SavedView['filter'],
  columns: readonly string[],
): Violation[] {
  const concealed = concealedFields(definition);
  const places = [
    ...Object.keys(filter).map((name) => [`/filter/${escapePointer(name)}`, name.split('[')[0]!] as const),
    ...columns.map((column, index) => [`/columns/${index}`, column] as const),
  ];
  return places.flatMap(([pointer, field]) => {
    const permission = concealed.get(field);
    return permission === undefined
      ? []
      : [{ pointer, code: 'field_forbidden', detail: `This requires the permission ${permission}.` }];
  });
}
