import { callerOrNull } from '#libs/auth/current-principal.js';
import type { Permission } from '#libs/auth/permissions.js';
import {
  fieldsOf,
  flag,
  id,
  instant,
  listOf,
  meant,
  text,
  type FieldSpec,
  type Kind,
  type ModelClass,
} from '#libs/http/field.js';
import { fold } from '#libs/kernel/fold.js';
import { NIL_UUID } from '#libs/kernel/id.js';
import { requireRange } from '#libs/kernel/time-range.js';
import { member, tag } from '../types/envelope.js';
import { PAGE_SIZE, PageQuery } from './page-query.js';
import { model } from '../types/record.dto.js';

export type FilterOperator = 'eq' | 'ne' | 'in' | 'gt' | 'gte' | 'lt' | 'lte' | 'contains' | 'isNull' | 'pattern';

/** A field that a list can be filtered by. */
export interface Filter {
  kind: Kind;
  operators: readonly FilterOperator[];
  /** The operator of the parameter without brackets, if it is not `eq`. */
  plain?: FilterOperator;
  /** SQL that replaces the column; the table is `t`. */
  sql?: string;
  /**
   * For a condition that no index serves: a column, and the values that it has in matching rows; null for any. Lets an index
   * of the column narrow the search.
   */
  stored?: { column: string; valuesFor: (value: unknown) => readonly string[] | null };
  /** The value is a membership; `me` is replaced by the caller's. */
  person?: boolean;
  /**
   * SQL of the whole condition over `t`, for values in another table. `:values` are the values, `:key` is the key,
   * `:tenant` the tenant; `:now` as in `sql`.
   */
  exists?: string;
}

const EQUALITY = ['eq', 'ne', 'in'] as const;
const ORDER = [...EQUALITY, 'gt', 'gte', 'lt', 'lte'] as const;
const PHRASES: Record<FilterOperator, string> = {
  eq: 'Only items with this value.',
  ne: 'Only items with another value, or none.',
  in: 'Only items with one of these values, separated by commas (in quotes if a value has one) or as a repeated parameter.',
  gt: 'Only items with a greater value.',
  gte: 'Only items with this value or a greater one.',
  lt: 'Only items with a lesser value.',
  lte: 'Only items with this value or a lesser one.',
  contains: 'Only items that contain the text here, in any case.',
  isNull: 'Only items where it is empty (true) or is not (false).',
  pattern: 'Only items with this value, or one that begins with it if it ends with `*`.',
};

/** Kinds of filters. A nullable field also has a filter for empty values. */
export const filter = {
  /** A word, an id or a code: equal or not equal. */
  exact: (kind: Kind, nullable = false): Filter => ({ kind, operators: withNull(EQUALITY, nullable) }),
  /** A number, a date or a timestamp. */
  ordered: (kind: Kind, nullable = false): Filter => ({ kind, operators: withNull(ORDER, nullable) }),
  text: (max: number, nullable = false): Filter => ({
    kind: text({ max }),
    operators: withNull([...EQUALITY, 'contains'], nullable),
  }),
  /** A separate parameter for one comparison of a column: `ids`, `from`, `to`. */
  plain: (kind: Kind, operator: FilterOperator, sql: string): Filter => ({
    kind,
    operators: [operator],
    plain: operator,
    sql,
  }),
  /** Rows for which another table has a row; `sql` is that condition, see {@link Filter.exists}. */
  related: (kind: Kind, sql: string): Filter => ({ kind, operators: ['eq', 'ne', 'in'], exists: sql }),
  /** A membership: an id, or `me`. */
  member: (nullable = false): Filter => ({ kind: member(), operators: withNull(EQUALITY, nullable), person: true }),
  /** True or false, from an expression over the row `t`. `:now` is the time of the request. */
  condition: (sql: string): Filter => ({ kind: flag(), operators: ['eq'], sql }),
};

const foldedTag = (): Kind => ({ ...tag(), parse: fold });
const mentioned = (table: string, column: string, type: string) =>
  `exists (select 1 from ${table} x where x.tenant_id = t.tenant_id and x.object = '${type}'
    and x.${column} = any(:values) and x.record_id = t.id)`;

/** The list parameter that filters by any of the tenant's custom fields. */
export const CUSTOM_FIELD_FILTER = 'customFields.*';
/** What the parameters for custom fields begin with; the key of the field follows. */
export const CUSTOM_FIELD_PREFIX = 'customFields.';

/** The filters of records whose common fields callers cannot set. */
export const plainFilters = () => ({
  ids: filter.plain(id(), 'in', 't.id'),
  name: filter.text(200),
  createdAt: filter.ordered(instant()),
  updatedAt: filter.ordered(instant()),
});

/** The filters that nearly every type of record has. */
export function recordFilters(type: string): Record<string, Filter> {
  const { ids, name, createdAt, updatedAt } = plainFilters();
  return {
    ids,
    reference: filter.exact(text({ max: 40 })),
    name,
    workspaceId: filter.exact(id(), true),
    ownerId: filter.member(true),
    tag: filter.related(foldedTag(), mentioned('data.record_tags', 'tag', type)),
    externalRef: filter.related(text({ min: 3, max: 261 }), mentioned('data.external_refs', 'ref', type)),
    createdAt,
    updatedAt,
    [CUSTOM_FIELD_FILTER]: {
      ...filter.related(
        text({ max: 200 }),
        `exists (select 1 from data.custom_field_values x
        where x.tenant_id = t.tenant_id and x.object = '${type}' and x.key = :key and x.value = any(:values)
          and x.record_id = t.id)`,
      ),
      operators: ['eq'],
    },
  };
}

function withNull(operators: readonly FilterOperator[], nullable: boolean): readonly FilterOperator[] {
  return nullable ? [...operators, 'isNull'] : operators;
}

/** Query options of a list. */
export interface ListOptions {
  filters: Record<string, Filter>;
  /** Sort options in both directions: `name` and `-name`. */
  sorts: readonly string[];
  /** E.g. `-createdAt`. */
  defaultSort: string;
  /** Whether `q` searches text. */
  searchable?: boolean;
  /** Set if lists can include the archive and the trash; the trash requires this permission. */
  trashPermission?: Permission;
}

const MAX_SORTS = 3;
const BY_CUSTOM_FIELD =
  'Send `customFields.{key}=value`, such as `customFields.region=EMEA`, once for each of the tenant’s own fields: only items with these values. Not for fields of type `long_text` or `money`.';

/** The query model of a list: one parameter per filter and operator. */
export function listQuery(className: string, options: ListOptions): ModelClass {
  const sorts = options.sorts.flatMap((field) => [field, `-${field}`]);
  const sort = listOf(sortTerm(sorts), { min: 1, max: MAX_SORTS });
  const fields: Record<string, FieldSpec> = {
    ...Object.fromEntries(fieldsOf(PageQuery)),
    sort: {
      kind: sort,
      description: `Order, \`-\` for descending; \`${options.defaultSort}\` if not given. Empty values come last.`,
      optional: true,
    },
  };
  if (options.searchable)
    fields['q'] = {
      kind: text({ min: 1, max: 200, lines: true }),
      description: 'Words to look for; each matches a whole word or the beginning of one.',
      optional: true,
    };
  if (options.trashPermission) {
    fields['includeArchived'] = { kind: flag(), description: 'Also archived records.', optional: true };
    fields['includeDeleted'] = {
      kind: flag(),
      description: `Also records in the trash; needs the scope ${options.trashPermission}.`,
      optional: true,
    };
  }
  for (const [field, { kind, operators, plain = 'eq' }] of Object.entries(options.filters))
    for (const operator of operators)
      fields[operator === plain ? field : `${field}[${operator}]`] = {
        kind: operandOf(kind, operator),
        description: field === CUSTOM_FIELD_FILTER ? BY_CUSTOM_FIELD : PHRASES[operator],
        optional: true,
      };
  return model(className, fields);
}

function operandOf(kind: Kind, operator: FilterOperator): Kind {
  if (operator === 'in') return listOf(kind, { min: 1, max: 100 });
  if (operator === 'isNull') return flag();
  if (operator === 'contains') return text({ min: 1, max: 200, lines: true });
  return kind;
}

/** A field to sort by, with or without `-`. */
export function sortTerm(terms: string[]): Kind {
  const known = new Set(terms);
  return {
    schema: { type: 'string', enum: terms },
    check: (value) =>
      typeof value === 'string' && known.has(value)
        ? []
        : [{ code: 'invalid_value', detail: `The list can be sorted by ${terms.join(', ')}.${meant(value, terms)}` }],
    parse: (value) => value,
  };
}

export interface SortTerm {
  field: string;
  descending: boolean;
}

export interface FilterTerm {
  field: string;
  operator: FilterOperator;
  value: unknown;
}

/** A parsed list query. */
export interface ListRequest {
  limit: number;
  cursor: string | null;
  sort: SortTerm[];
  filters: FilterTerm[];
  q: string | null;
  includeArchived: boolean;
  includeDeleted: boolean;
  /** Value of `:now` in the expressions of filters. */
  now: string;
}

/** Value of `me` if the caller does not act for a member. */
const NOBODY = NIL_UUID;
/** Stands for the caller in filters by people. */
export const ME = 'me';

/** Value of `me`: the member that the caller acts for. */
export function callingMember(): string {
  return callerOrNull()?.membershipId ?? NOBODY;
}

/** Values of a filter by people, with `me` replaced. */
export function personsIn(value: unknown, me = callingMember): unknown {
  if (Array.isArray(value)) return value.map((each) => personsIn(each, me));
  return value === ME ? me() : value;
}

/** The filter of a field, including custom fields. */
export function filterOf(options: ListOptions, field: string): Filter | undefined {
  return (
    options.filters[field] ?? (field.startsWith(CUSTOM_FIELD_PREFIX) ? options.filters[CUSTOM_FIELD_FILTER] : undefined)
  );
}

/**
 * Parses the values of a query that has been validated against {@link listQuery}.
 * @throws Problem 400 `out_of_range` if `from` is not before `to`.
 */
export function toListRequest(
  options: ListOptions,
  query: Record<string, unknown>,
  now = new Date().toISOString(),
  me = callingMember,
): ListRequest {
  const filters: FilterTerm[] = [];
  for (const [parameter, value] of Object.entries(query)) {
    const [, field = '', suffix] = /^([\w.]+)(?:\[(\w+)\])?$/.exec(parameter) ?? [];
    const known = filterOf(options, field);
    const operator = (suffix as FilterOperator | undefined) ?? known?.plain ?? 'eq';
    if (known) filters.push({ field, operator, value: known.person ? personsIn(value, me) : value });
  }
  const { from, to } = query as { from?: string; to?: string };
  if (options.filters['from'] && options.filters['to'] && from !== undefined && to !== undefined)
    requireRange(from, to);
  const sort = (query['sort'] as string[] | undefined) ?? options.defaultSort.split(',');
  return {
    limit: (query['limit'] as number | undefined) ?? PAGE_SIZE,
    cursor: (query['cursor'] as string | undefined) ?? null,
    sort: sort.map((term) => ({ field: term.replace('-', ''), descending: term.startsWith('-') })),
    filters: filters.sort((a, b) => (a.field + a.operator < b.field + b.operator ? -1 : 1)),
    q: (query['q'] as string | undefined) ?? null,
    includeArchived: query['includeArchived'] === true,
    includeDeleted: query['includeDeleted'] === true,
    now,
  };
}
