import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { TenantMemory } from '#libs/database/memory.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { escapePointer, type Kind } from '#libs/http/field.js';
import { didYouMean } from '#libs/http/problems/hints.js';
import { inlineSchemaOf } from '#libs/http/schema.js';
import { MAX_VIOLATIONS, Problem, type Violation } from '#libs/kernel/problem.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { DiscoveredCustomField } from './custom-field.dto.js';
import { canonical, type CustomFieldRules, formOf, kindOf } from './custom-field-values.js';
import { CUSTOM_FIELD_PREFIX as PREFIX, type FilterTerm, personsIn } from '../lists/list-query.js';
import { MEMBER, mustBeVisible, mustExist } from '../access/references.js';
import { ResourceRegistry } from '../resource-registry.js';

type Values = Record<string, unknown>;

/** A definition, for validating records. */
export interface CustomFieldDefinition extends CustomFieldRules {
  recordType: string;
  key: string;
  label: string;
  required: boolean;
  /** Type of the records that a reference may name. */
  target: string | null;
  defaultValue: unknown;
  archived: boolean;
  kind: Kind;
}

type Definitions = ReadonlyMap<string, CustomFieldDefinition>;

const FIND = `select record_type as "recordType", key, name as label, field_type as "fieldType", required, options, min, max, pattern,
    target, default_value as "defaultValue", archived_at is not null as archived
  from data.settings_custom_fields where tenant_id = $1`;
const NONE: Definitions = new Map();
/** Types that lists cannot filter by. */
const UNSEARCHED = new Set(['long_text', 'money']);

/**
 * Validates the custom fields of records against the tenant's definitions. Definitions are cached by tenant and epoch;
 * the epoch increases with each change.
 */
@Injectable()
export class CustomFields {
  private readonly known = new TenantMemory<ReadonlyMap<string, Definitions>>(5_000);
  /** Checks to send with the write of a record, by the object that contains its values. */
  private readonly checks = new WeakMap<object, Statement[]>();

  constructor(
    private readonly database: Database,
    private readonly registry: ResourceRegistry,
  ) {}

  /** The custom fields of a type that are not archived, sorted by key. */
  async of(type: string): Promise<CustomFieldDefinition[]> {
    const present = [...(await this.definitions(type)).values()].filter(({ archived }) => !archived);
    return present.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** Like {@link of}, as the API describes them. */
  async described(type: string): Promise<DiscoveredCustomField[]> {
    const fields = await this.of(type);
    return fields.map(({ key, label, fieldType, required, target, kind }) => {
      const schema = kind.model ? inlineSchemaOf(kind.model) : kind.schema;
      return { key, label, type: fieldType, required, target, schema };
    });
  }

  /** The filters of a type's list that take a member. */
  async filtersByPeople(type: string): Promise<string[]> {
    const all = [...(await this.definitions(type)).values()];
    return all.flatMap(({ key, fieldType }) => (fieldType === 'member' ? [`${PREFIX}${key}`] : []));
  }

  /** Values of a record that a caller creates, with defaults. @throws Problem 400 with all faults. */
  async ofNew(type: string, given: Values = {}): Promise<Values> {
    const definitions = await this.definitions(type);
    if (definitions.size === 0 && Object.keys(given).length === 0) return {};
    return this.accepted(definitions, withDefaults(definitions, given), {}, [...definitions.keys()]);
  }

  /** Like {@link ofNew} for a record that the platform creates: required fields without a default stay empty. */
  async ofMade(type: string, given: Values = {}): Promise<Values> {
    const definitions = await this.definitions(type);
    return this.accepted(definitions, withDefaults(definitions, given), {}, []);
  }

  /**
   * Values of a record after a merge patch. Values that it has already may stay, whatever the definitions say now.
   * @throws Problem 400 with all faults of the patch.
   */
  async ofChanged(type: string, present: Values, patch: Values): Promise<Values> {
    const definitions = await this.definitions(type);
    const isChange = ([key, value]: [string, unknown]) => !isUnchanged(definitions.get(key), value, present[key]);
    const changes = Object.fromEntries(Object.entries(patch).filter(isChange));
    return this.accepted(definitions, changes, present, Object.keys(changes));
  }

  /** Statements that fail if values refer to unknown people or records. */
  checksOf(values: unknown): Statement[] {
    return (typeof values === 'object' && values !== null && this.checks.get(values)) || [];
  }

  /**
   * The filters of a list, with custom field values in their stored form.
   * @throws Problem 400 for an unknown field or an invalid value.
   */
  async searched(type: string, filters: FilterTerm[]): Promise<FilterTerm[]> {
    if (!filters.some(({ field }) => field.startsWith(PREFIX))) return filters;
    const definitions = await this.definitions(type);
    const violations: Violation[] = [];
    const terms = filters.map((term) => {
      if (!term.field.startsWith(PREFIX)) return term;
      const definition = definitions.get(term.field.replace(PREFIX, ''));
      const outcome = isSearched(definition)
        ? asStored(definition, String(term.value))
        : unknownFilter(term.field, definitions);
      if (typeof outcome === 'string') return { ...term, value: outcome };
      violations.push({ parameter: term.field, ...outcome });
      return term;
    });
    if (violations.length > 0) throw Problem.validation(violations);
    return terms;
  }

  /** @throws Problem 400 at the parameter `fields` for keys that the type does not have. */
  async refuseUnknown(type: string, keys: readonly string[]): Promise<void> {
    const definitions = await this.definitions(type);
    const unknown = keys.filter((key) => !definitions.has(key));
    if (unknown.length > 0)
      throw Problem.validation(unknown.map((key) => ({ parameter: 'fields', ...unknownKey(key, definitions) })));
  }

  /** The tables of what a type's custom fields with ids point to, by key. */
  async targets(type: string): Promise<[key: string, table: string][]> {
    const all = [...(await this.definitions(type)).values()];
    return all.flatMap(({ key, fieldType, target }) => {
      if (fieldType === 'member') return [[key, MEMBER.table]];
      const service = fieldType === 'reference' && target !== null && this.registry.ofType(target)?.service;
      return service ? [[key, service.table]] : [];
    });
  }

  /**
   * `asked` are the keys that must have a value if their fields are required. The caller must be able to see the records
   * that `given` refers to.
   */
  private accepted(definitions: Definitions, given: Values, present: Values, asked: string[]): Values {
    const violations: Violation[] = [];
    const values: Values = { ...present };
    const checks: Statement[] = [];
    for (const [key, value] of Object.entries(given)) {
      if (violations.length >= MAX_VIOLATIONS) break; // each may cost a search for what is near
      const definition = definitions.get(key);
      const pointer = `/customFields/${escapePointer(key)}`;
      const faults = definition ? faultsOf(definition, value, present[key]) : [unknownKey(key, definitions)];
      violations.push(...faults.map(({ at = '', code, detail }) => ({ pointer: `${pointer}${at}`, code, detail })));
      if (value === null) delete values[key];
      else if (definition && faults.length === 0) {
        values[key] = canonical(definition, value);
        checks.push(...this.existence(definition, pointer, value as string));
      }
    }
    for (const key of asked) {
      const definition = definitions.get(key);
      if (definition?.required && !definition.archived && (given[key] ?? null) === null) violations.push(missing(key));
    }
    if (violations.length > 0) throw Problem.validation(violations);
    this.checks.set(values, checks);
    return values;
  }

  private existence({ fieldType, target }: CustomFieldDefinition, pointer: string, id: string): Statement[] {
    if (fieldType === 'member') return [mustExist(MEMBER, pointer, [id])];
    const service = fieldType === 'reference' && target !== null && this.registry.ofType(target)?.service;
    return service ? [mustBeVisible(this.registry, { table: service.table }, pointer, [id])] : [];
  }

  private async definitions(type: string): Promise<Definitions> {
    const byType = await this.known.get(async () => {
      const found = statement(FIND, [currentTenant().id]);
      const rows = await this.database.read<Omit<CustomFieldDefinition, 'kind'>>(found);
      return new Map(
        [...Map.groupBy(rows, ({ recordType }) => recordType)].map(([recordType, own]) => [
          recordType,
          new Map(own.map((row) => [row.key, { ...row, kind: kindOf(row) }])),
        ]),
      );
    });
    return byType.get(type) ?? NONE;
  }
}

/** Values with the defaults of the fields that they lack. */
function withDefaults(definitions: Definitions, given: Values): Values {
  const values = { ...given };
  for (const { key, defaultValue, archived } of definitions.values())
    if (values[key] === undefined && defaultValue !== null && !archived) values[key] = defaultValue;
  return values;
}

function unknownKey(key: string, definitions: Definitions): ReturnType<Kind['check']>[number] {
  const present = [...definitions].filter(([, { archived }]) => !archived).map(([known]) => known);
  const detail = `The tenant has defined no such field.${didYouMean(key, present)}`;
  return { code: 'unknown_custom_field', detail };
}

function isUnchanged(definition: CustomFieldDefinition | undefined, value: unknown, present: unknown): boolean {
  if (!definition) return false;
  if (present !== undefined && isDeepStrictEqual(value, present)) return true;
  const { fieldType } = definition;
  if (value === null || formOf(fieldType).check(value).length > 0) return value === null && present === undefined;
  return isDeepStrictEqual(canonical(definition, value), present);
}

/** What is wrong with a new value. A list may keep the options that it has already. */
function faultsOf(definition: CustomFieldDefinition, value: unknown, present: unknown): ReturnType<Kind['check']> {
  if (value === null) return [];
  if (definition.archived) return [{ code: 'unknown_custom_field', detail: 'The field is archived.' }];
  const kept = new Set(Array.isArray(value) && Array.isArray(present) ? present : []);
  const isKept = (at = '') => kept.has((value as unknown[])[Number(at.slice(1))]);
  return definition.kind.check(value).filter(({ at, code }) => code !== 'unknown_option' || !isKept(at));
}

function isSearched(definition: CustomFieldDefinition | undefined): definition is CustomFieldDefinition {
  return definition !== undefined && !UNSEARCHED.has(definition.fieldType);
}

function unknownFilter(parameter: string, definitions: Definitions): Pick<Violation, 'code' | 'detail'> {
  const searched = [...definitions].filter(([, each]) => isSearched(each)).map(([key]) => `${PREFIX}${key}`);
  const detail = `The list cannot be filtered by such a field.${didYouMean(parameter, searched)}`;
  return { code: 'unknown_parameter', detail };
}

/** The stored text to filter by for a value, or its fault. Records keep values that the definition no longer allows. */
function asStored(definition: CustomFieldDefinition, text: string): string | Pick<Violation, 'code' | 'detail'> {
  const isList = definition.fieldType === 'multi_select';
  const sought = definition.fieldType === 'member' ? String(personsIn(text)) : text;
  const form = formOf(definition.fieldType);
  const value = isList ? [sought] : form.parse(sought);
  const [fault] =
    value === undefined ? [{ code: 'invalid_type', detail: 'The value has another form.' }] : form.check(value);
  return fault ? { code: fault.code, detail: fault.detail } : String(canonical(definition, isList ? sought : value));
}

function missing(key: string): Violation {
  return { pointer: `/customFields/${key}`, code: 'required', detail: 'The field is required.' };
}
