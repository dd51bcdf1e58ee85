import { fieldsOf, type FieldSpec, type JsonSchema } from '#libs/http/field.js';
import { ENVELOPE_REFERENCES, MEMBER } from '#libs/resource/access/references.js';
import { CustomMoney } from '#libs/resource/records/custom-field-values.js';
import type { CustomFieldDefinition } from '#libs/resource/records/custom-fields.js';
import type { ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { ResourceDefinition } from '#libs/resource/types/definition.js';

/** What the values of a column become. */
export interface Target {
  /** How mappings name it: as the columns of exports, and `externalRef:<system>`. */
  key: string;
  /** Where the value is in the body of a record. Empty for a key that only finds records. */
  path: readonly string[];
  schema: JsonSchema;
  /** Table of what an id names. */
  table?: string;
  /** For an amount in major units: whether the field takes it as it is, or in minor units. */
  amount?: 'major' | 'minor';
  /** For an id in another system: its name. */
  system?: string;
  /** What people call it besides. */
  label?: string;
  /** Whether it is not suggested, because records show it in another form. */
  isUnasked?: boolean;
}

const MINOR = /Minor$/;
const CUSTOM = 'customFields';
const REFS = 'externalRefs';
const SYSTEM = /^externalRef:([^:\s][^:]{0,59})$/;
/** Fields of every record that only find it. */
const KEYS = ['id', 'reference'];

/** The targets of a type, by key, besides those of other systems. */
export function targetsOf(
  definition: ResourceDefinition,
  customFields: readonly CustomFieldDefinition[],
  registry: ResourceRegistry,
): Map<string, Target> {
  const found = new Map<string, Target>();
  const add = (target: Target) => found.set(target.key, target);
  const fields = fieldsOf(definition.create);
  const shown = fieldsOf(definition.view);
  const references = { ...ENVELOPE_REFERENCES, ...definition.references, ...definition.named };
  for (const key of KEYS) add({ key, path: [], schema: { type: 'string' } });
  for (const [field, spec] of fields) {
    const { kind } = spec;
    const isAnotherForm = kind.model !== undefined && shown.get(field)?.kind.model !== kind.model;
    const table = references[field]?.table;
    for (const each of targetsAt([field], spec, fields)) {
      const isUnasked = isAnotherForm && field !== REFS;
      add({ ...each, ...(table !== undefined && { table }), ...(isUnasked && { isUnasked }) });
    }
  }
  for (const { key, label, kind, fieldType, target } of customFields) {
    const table =
      fieldType === 'member' ? MEMBER.table : target === null ? undefined : registry.ofType(target)?.service.table;
    const path = [CUSTOM, key];
    add({ key: path.join('.'), path, schema: kind.schema, label, ...(table !== undefined && { table }) });
    if (kind.model === CustomMoney)
      for (const [member, spec] of fieldsOf(CustomMoney))
        for (const each of targetsAt([...path, member], spec, fieldsOf(CustomMoney))) add(each);
  }
  return found;
}

/** The target that a mapping names; undefined if there is none. */
export function targetOf(targets: ReadonlyMap<string, Target>, key: string): Target | undefined {
  const [, system] = SYSTEM.exec(key) ?? [];
  if (system === undefined) return targets.get(key);
  return targets.has(REFS) ? { key, path: [REFS], schema: { type: 'string', maxLength: 200 }, system } : undefined;
}

/**
 * The target that each column probably stands for: one with its name, or with its label; for the columns that exports
 * add to an id, the id. Each target once.
 */
export function suggestions(
  columns: readonly string[],
  targets: ReadonlyMap<string, Target>,
  isConcealed: (field: string) => boolean,
): Map<string, string> {
  const byWord = new Map<string, string>();
  const open = [...targets.values()].filter(
    ({ path, isUnasked }) => path.length > 0 && !isUnasked && !isConcealed(path[0]!),
  );
  const know = (word: string, key: string) => void (byWord.has(word) || byWord.set(word, key));
  for (const { key } of open) know(wordOf(key), key);
  for (const { key, label, path, table } of open) {
    if (label !== undefined) know(wordOf(label), key);
    if (table !== undefined) for (const end of ['', '.reference']) know(wordOf(key.replace(/Id$/, '') + end), key);
    if (path[0] === CUSTOM && path.length === 2) know(wordOf(path[1]!), key);
  }
  const found = new Map<string, string>();
  const taken = new Set<string>();
  const exact = columns.toSorted((a, b) => Number(targets.has(b)) - Number(targets.has(a)));
  for (const column of exact) {
    const key = SYSTEM.test(column) ? column : byWord.get(wordOf(column));
    if (key === undefined || taken.has(key) || isWithin(key, taken)) continue;
    found.set(column, key);
    taken.add(key);
  }
  return found;
}

/** Whether a column for all of an object is mapped beside one for a part of it. */
export function isWithin(key: string, taken: ReadonlySet<string>): boolean {
  const parents = key.split('.').slice(0, -1);
  if (parents.some((_, end) => taken.has(parents.slice(0, end + 1).join('.')))) return true;
  return [...taken].some((each) => each.startsWith(`${key}.`));
}

function targetsAt(path: readonly string[], { kind }: FieldSpec, beside: ReadonlyMap<string, FieldSpec>): Target[] {
  const key = path.join('.');
  const name = path.at(-1)!;
  const own: Target = { key, path, schema: kind.schema };
  if (kind.model && kind.schema['type'] !== 'array') {
    const members = fieldsOf(kind.model);
    return [own, ...[...members].flatMap(([member, spec]) => targetsAt([...path, member], spec, members))];
  }
  if (beside.has(`${name}Minor`) && kind.schema['type'] === 'number') return [{ ...own, amount: 'major' }];
  const major = name.replace(MINOR, '');
  if (major === name || kind.schema['type'] !== 'integer' || beside.has(major) || !beside.has('currency')) return [own];
  return [own, { ...own, key: [...path.slice(0, -1), major].join('.'), amount: 'minor' }];
}

function wordOf(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]+/g, '');
}
