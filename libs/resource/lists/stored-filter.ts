import { currentPrincipal } from '#libs/auth/current-principal.js';
import type { Permission } from '#libs/auth/permissions.js';
import { escapePointer, fieldsOf, type Kind, text } from '#libs/http/field.js';
import { readQuery } from '#libs/http/validation.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import type { ResourceKit } from '../resource-kit.js';
import type { ResourceDefinition } from '../types/definition.js';
import { model } from '../types/record.dto.js';
import { listQuery, type ListOptions, type ListRequest, ME, toListRequest } from './list-query.js';

const MAX_FILTERS = 50;
const MAX_VALUE = 2_000;
const PAGING = ['limit', 'cursor', 'sort'];
/** The violation of a rule that depends on who carries it out. */
export const NO_CALLER = {
  code: 'not_applicable',
  detail: 'Nobody calls when the rule is carried out: send the id of a member instead of `me`.',
};

/** Key of a record type. */
export const typeKey = () =>
  text({
    min: 3,
    max: 60,
    pattern: /^[a-z_]+\.[a-z0-9_]+$/,
    form: 'the type of a record, such as sales.deal',
  });

/** Query parameters of a list by name, with text values. The valid names depend on the type. */
export const storedFilter: Kind = {
  schema: {
    type: 'object',
    maxProperties: MAX_FILTERS,
    additionalProperties: { type: 'string', maxLength: MAX_VALUE },
  },
  check: (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return [{ code: 'invalid_type', detail: 'The value must be an object.' }];
    const values: unknown[] = Object.values(value);
    if (values.length > MAX_FILTERS)
      return [{ code: 'too_many', detail: `There may be at most ${MAX_FILTERS} parameters.` }];
    return values.every((each) => typeof each === 'string' && each.length <= MAX_VALUE)
      ? []
      : [{ code: 'invalid_type', detail: `Each value must be a text of at most ${MAX_VALUE} characters.` }];
  },
  parse: () => undefined,
};

/** A stored filter, read as the query of the list of a type. */
export interface StoredFilter {
  /** Null if the list does not accept it. */
  request: ListRequest | null;
  violations: Violation[];
}

/**
 * Reads query parameters of a list that were sent in the member `/filter` of a body, for a question that is always
 * asked by somebody: `me` is the caller.
 */
export async function readStoredFilter(
  kit: ResourceKit,
  { type, list }: ResourceDefinition,
  filter: Record<string, string>,
): Promise<StoredFilter> {
  const { values, violations } = valuesOf(list, filter);
  if (violations.length > 0) return { request: null, violations: violations.map(inFilter) };
  const request = toListRequest(list, values, kit.now());
  try {
    return { request: { ...request, filters: await kit.customFields.searched(type, request.filters) }, violations: [] };
  } catch (error) {
    if (!(error instanceof Problem) || !error.more.errors) throw error;
    return { request: null, violations: error.more.errors.map(inFilter) };
  }
}

/** As {@link readStoredFilter}, for a rule that is carried out without a caller: `me` is a violation. */
export async function readStoredRule(
  kit: ResourceKit,
  definition: ResourceDefinition,
  filter: Record<string, string>,
): Promise<StoredFilter> {
  const { values } = valuesOf(definition.list, filter);
  const people = new Set(await kit.customFields.filtersByPeople(definition.type));
  const violations = Object.entries(values).flatMap(([parameter, value]) => {
    const field = parameter.split('[')[0]!;
    const isPerson = people.has(field) || definition.list.filters[field]?.person === true;
    return isPerson && [value].flat().includes(ME) ? [inFilter({ parameter, ...NO_CALLER })] : [];
  });
  return violations.length > 0 ? { request: null, violations } : readStoredFilter(kit, definition, filter);
}

function valuesOf(list: ListOptions, filter: Record<string, string>): ReturnType<typeof readQuery> {
  const fields = [...fieldsOf(listQuery('SavedFilter', list))].filter(([name]) => !PAGING.includes(name));
  return readQuery(model('SavedFilter', Object.fromEntries(fields)), filter);
}

/** Fields of a type, and `includeDeleted`, that the caller may not use, with the permission that they lack. */
export function concealedFields({ restricted = [], list }: ResourceDefinition): ReadonlyMap<string, Permission> {
  const { permissions } = currentPrincipal();
  const concealed = new Map(
    restricted
      .filter(({ permission }) => permissions.reach(permission) !== 'tenant')
      .flatMap(({ fields, permission }) => fields.map((field) => [field, permission] as const)),
  );
  if (list.trashPermission && !permissions.has(list.trashPermission))
    concealed.set('includeDeleted', list.trashPermission);
  return concealed;
}

function inFilter({ parameter = '', code, detail }: Violation): Violation {
  return { pointer: `/filter/${escapePointer(parameter)}`, code, detail };
}
