import { Injectable } from '@nestjs/common';
import { guarded } from '#libs/access/guard.js';
import { Database } from '#libs/database/database.js';
import { bodyViolations } from '#libs/http/validation.js';
import { textOf } from '#libs/kernel/csv.js';
import { isUuid } from '#libs/kernel/id.js';
import { isObject } from '#libs/kernel/is-object.js';
import { toMinor } from '#libs/kernel/money.js';
import type { Violation } from '#libs/kernel/problem.js';
import { MEMBER } from '#libs/resource/access/references.js';
import type { Resource } from '#libs/resource/resource-registry.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { attributesOf } from '#libs/resource/types/attribute.js';
import type { RecordView } from '#libs/resource/types/record.dto.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { StoredRow } from './import-files.js';
import type { ImportRun } from './import.js';
import type { RowFault } from './import-rows.js';
import { type Target, targetOf, targetsOf } from './import-targets.js';
import { decimalOf, type Notation, notationOf, valueOf } from './import-values.js';

type Body = Record<string, unknown>;
type Faults = RowFault[];

/** A column with what its values become. */
interface MappedColumn {
  name: string;
  target: Target;
}

/** How the rows of an import become bodies. */
export interface ImportPlan {
  resource: Resource;
  columns: readonly MappedColumn[];
  /** What finds the record of a row; null if each row is a new one. */
  key: Target | null;
  notation: Notation;
}

/** A row that is ready to be written, or why it is not. */
export interface PreparedRow {
  row: number;
  body: Body;
  /** The record that the row changes, as the caller sees it; null for a new one. */
  existing: RecordView | null;
  faults: Faults;
}

/** A value that stands for a record, until that is found. */
interface Sought {
  row: PreparedRow;
  column: MappedColumn;
  text: string;
  put: (id: string) => void;
}

const KEY_COLUMNS: Record<string, string> = { id: 'id', reference: 'reference' };
const MANY_REFS = `select record_id as id, ref as key from data.external_refs t
  where t.tenant_id = $1 and t.object = $2 and t.ref = any($3::text[]) and not t.in_trash`;

/** Turns rows into bodies of records, with the rights of the caller. Outside of transactions. */
@Injectable()
export class ImportInputs {
  constructor(
    private readonly kit: ResourceKit,
    private readonly database: Database,
  ) {}

  /** How the rows of an import are read now: custom fields may have changed. Mapped fields that are gone are left out. */
  async planOf({ recordType, mapping, upsertBy, mode, locale }: ImportRun): Promise<ImportPlan> {
    const { registry, customFields } = this.kit;
    const resource = registry.ofType(recordType)!; // as it was made
    const targets = targetsOf(resource.definition, await customFields.of(recordType), registry);
    const columns = Object.entries(mapping).map(([name, key]) => ({ name, target: targetOf(targets, key)! }));
    const key = mode === 'create' || upsertBy === null ? null : targetOf(targets, upsertBy)!;
    return { resource, columns: columns.filter(({ target }) => target), key, notation: notationOf(locale) };
  }

  /** Bodies for the rows of a part. References and the records of keys are looked up together. */
  async prepare(run: ImportRun, plan: ImportPlan, rows: readonly StoredRow[]): Promise<PreparedRow[]> {
    const sought: Sought[] = [];
    const keys = new Map<PreparedRow, string>();
    const names = Object.keys(run.mapping);
    const prepared = rows.map((stored) => {
      const row: PreparedRow = { row: stored.row, body: {}, existing: null, faults: [] };
      if (stored.fault) {
        row.faults.push({ row: stored.row, ...stored.fault });
        return row;
      }
      for (const column of plan.columns) {
        const value = stored.values[names.indexOf(column.name)];
        if (value === undefined) continue;
        if (plan.key === column.target || plan.key?.key === column.target.key) keys.set(row, textOf(value) ?? '');
        if (column.target.path.length > 0) this.put(plan, row, column, value, sought);
      }
      settleAmounts(plan, row);
      return row;
    });
    await this.resolve(sought);
    if (plan.key) await this.find(run, plan, prepared, keys);
    for (const row of prepared) if (row.faults.length === 0) this.judge(plan, row);
    return prepared;
  }

  /** Puts the value of a cell, or of a member in JSON, into the body of its row. */
  private put(plan: ImportPlan, row: PreparedRow, column: MappedColumn, given: unknown, sought: Sought[]): void {
    const { target } = column;
    if (target.system !== undefined) {
      const refs = (row.body['externalRefs'] ??= []) as object[];
      if (given !== null) refs.push({ system: target.system, id: textOf(given) });
      return;
    }
    const read = readValue(given, target, plan.notation);
    if ('code' in read) {
      row.faults.push({ row: row.row, column: column.name, code: read.code, message: read.detail });
      return;
    }
    const { value } = read;
    const place = (at: unknown) => assign(row.body, target, at);
    if (target.table === undefined || value === null) return place(value);
    if (!Array.isArray(value)) {
      if (typeof value !== 'string' || isUuid(value)) return place(value);
      place(null);
      sought.push({ row, column, text: value, put: place });
      return;
    }
    const ids = [...(value as unknown[])];
    place(ids);
    for (const [index, each] of ids.entries())
      if (typeof each === 'string' && !isUuid(each))
        sought.push({ row, column, text: each, put: (id) => (ids[index] = id) });
  }

  /** Finds what texts stand for: a reference such as `ACC-000001`, an id of another system, an address, or a name. */
  private async resolve(sought: readonly Sought[]): Promise<void> {
    for (const [table, wanted] of Map.groupBy(sought, ({ column }) => column.target.table!)) {
      const found = await this.named(table, [...new Set(wanted.map(({ text }) => text.trim()))]);
      for (const { row, column, text, put } of wanted) {
        const ids = found.get(text.trim()) ?? [];
        if (ids.length === 1) put(ids[0]!);
        else {
          const message =
            ids.length === 0 ? `Nothing that you can see is called ${text}.` : `Several are called ${text}.`;
          const code = ids.length === 0 ? 'unknown_reference' : 'ambiguous_reference';
          row.faults.push({ row: row.row, column: column.name, code, message });
        }
      }
    }
  }

  private async named(table: string, texts: string[]): Promise<Map<string, string[]>> {
    const { id: tenantId } = currentTenant();
    const resource = this.kit.registry.ofTable(table);
    const found = new Map<string, Set<string>>();
    const note = (rows: { id: string; key: string }[]) => {
      for (const { id, key } of rows) found.set(key, (found.get(key) ?? new Set()).add(id));
    };
    if (resource) {
      const { definition, service } = resource;
      const text = `select t.id, t.reference as key from ${table} t
        where t.tenant_id = $1 and t.reference = any($2::text[]) and t.deleted_at is null`;
      note(await this.database.read(guarded(text, [tenantId, texts], service.visible())));
      const refs = texts.filter((each) => each.includes(':'));
      if (refs.length > 0) {
        const known = await this.database.read<{ id: string; key: string }>(
          guarded(MANY_REFS, [tenantId, definition.type, refs], null),
        );
        const seen = new Set(
          (await service.among([...new Set(known.map(({ id }) => id))], {})).data.map(({ id }) => id),
        );
        note(known.filter(({ id }) => seen.has(id)));
      }
    } else {
      const name = table === MEMBER.table ? 't.email' : 't.name';
      const text = `select t.id, k.key from ${table} t join unnest($2::text[]) as k(key) on data.fold(${name}) = data.fold(k.key)
        where t.tenant_id = $1`;
      note(await this.database.read(guarded(text, [tenantId, texts], null)));
    }
    return new Map([...found].map(([key, ids]) => [key, [...ids]]));
  }

  /** Finds the records that rows change. */
  private async find(
    { mode }: ImportRun,
    { resource, key }: ImportPlan,
    rows: readonly PreparedRow[],
    keys: ReadonlyMap<PreparedRow, string>,
  ): Promise<void> {
    const { service, definition } = resource;
    const known = await this.idsOf(resource, key!, [...new Set(keys.values())]);
    const ids = [...new Set([...known.values()].flat())];
    const views = new Map<string, RecordView>();
    if (ids.length > 0) for (const view of (await service.among(ids, {})).data) views.set(view.id, view);
    for (const row of rows) {
      if (row.faults.length > 0) continue;
      const refuse = (code: string, message: string) =>
        void row.faults.push({ row: row.row, column: null, code, message });
      const text = keys.get(row);
      if (text === undefined) {
        refuse('key_missing', `The row has no value for ${key!.key}.`);
        continue;
      }
      const matches = (known.get(text) ?? []).flatMap((id) => views.get(id) ?? []);
      if (matches.length > 1) refuse('ambiguous_key', `Several records have ${key!.key} ${text}.`);
      else if (matches.length === 0 && mode === 'update')
        refuse('not_found', `No ${definition.noun} that you can see has ${key!.key} ${text}.`);
      else row.existing = matches[0] ?? null;
    }
  }

  private async idsOf({ service, definition }: Resource, key: Target, texts: string[]): Promise<Map<string, string[]>> {
    const { id: tenantId } = currentTenant();
    const found = new Map<string, string[]>();
    if (texts.length === 0) return found;
    const rows =
      key.system === undefined
        ? await this.database.read<{ id: string; key: string }>(
            guarded(
              `select t.id, t.${columnOf(key)}::text as key from ${service.table} t
                where t.tenant_id = $1 and t.${columnOf(key)}::text = any($2::text[]) and t.deleted_at is null`,
              [tenantId, texts],
              service.visible(),
            ),
          )
        : await this.database.read<{ id: string; key: string }>(
            guarded(MANY_REFS, [tenantId, definition.type, texts.map((each) => `${key.system}:${each}`)], null),
          );
    const prefix = key.system === undefined ? 0 : key.system.length + 1;
    for (const { id, key: text } of rows) {
      const own = text.slice(prefix);
      found.set(own, [...(found.get(own) ?? []), id]);
    }
    return found;
  }

  /** Checks a body as the API does, and merges it with the record that it changes. */
  private judge({ resource, columns }: ImportPlan, row: PreparedRow): void {
    const { definition } = resource;
    if (row.existing) mergeRefs(row.body, row.existing);
    const violations = bodyViolations(row.existing ? definition.update : definition.create, row.body);
    row.faults.push(...violations.map((each) => faultOf(row.row, columns, each)));
  }
}

/** The fault of a row for the violation of a body, at the column that its value comes from. */
export function faultOf(
  row: number,
  columns: readonly MappedColumn[],
  { pointer = '', code, detail }: Violation,
): RowFault {
  const path = pointer.slice(1).split('/');
  const at = (length: number) =>
    columns.find(
      ({ target }) =>
        target.path.length > 0 &&
        target.path.slice(0, length).join('/') === path.slice(0, length).join('/') &&
        target.path.length <= path.length,
    );
  const column = [3, 2, 1].map(at).find((each) => each !== undefined);
  const isNamed = column !== undefined || pointer === '';
  return { row, column: column?.name ?? null, code, message: isNamed ? detail : `${path.join('.')}: ${detail}` };
}

function readValue(given: unknown, target: Target, notation: Notation): ReturnType<typeof valueOf> {
  if (typeof given !== 'string') {
    if (target.amount !== 'minor' || typeof given !== 'number') return { value: given };
    return { value: String(given) };
  }
  if (target.amount === undefined) return valueOf(given, target.schema, notation);
  const decimal = decimalOf(given, notation);
  if (decimal === null)
    return { code: 'invalid_amount', detail: `The value must be an amount such as 1234${notation.decimal}50.` };
  return { value: target.amount === 'major' ? Number(decimal) : decimal };
}

/** Puts a value into a body. An amount waits as a text until the currency of its row is known. */
function assign(body: Body, { path, amount }: Target, value: unknown): void {
  let holder = body;
  for (const member of path.slice(0, -1))
    holder = isObject(holder[member]) ? holder[member] : (holder[member] = {} as Body);
  holder[path.at(-1)!] = amount === 'minor' && typeof value === 'string' ? new Amount(value) : value;
}

/** An amount in major units whose currency is not known yet. */
class Amount {
  constructor(readonly decimal: string) {}
}

/** Turns amounts in major units into minor units of the currency beside them: that of the tenant if the row has none. */
function settleAmounts({ columns }: ImportPlan, row: PreparedRow): void {
  for (const { name, target } of columns) {
    if (target.amount !== 'minor') continue;
    const holder = target.path
      .slice(0, -1)
      .reduce<Body | undefined>((at, member) => at?.[member] as Body | undefined, row.body);
    const field = target.path.at(-1)!;
    const amount = holder?.[field];
    if (!(amount instanceof Amount)) continue;
    const currency = (holder!['currency'] ??= currentTenant().currency) as string; // of any kind, which is judged later
    const minor = toMinor(Number(amount.decimal), currency);
    holder![field] = minor;
    if (minor === null)
      row.faults.push({
        row: row.row,
        column: name,
        code: 'invalid_amount',
        message: `${currency} has fewer decimals, or the amount is too large.`,
      });
  }
}

/** Keeps the ids of other systems that a row says nothing about. */
function mergeRefs(body: Body, { externalRefs }: RecordView): void {
  const given = body['externalRefs'] as { system: string }[] | undefined;
  if (!given || !Array.isArray(given)) return;
  const systems = new Set(given.map(({ system }) => system));
  body['externalRefs'] = [
    ...externalRefs.filter(({ system }) => !systems.has(system)).map((each) => ({ ...each })),
    ...given,
  ];
}

function columnOf({ key }: Target): string {
  return KEY_COLUMNS[key] ?? key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Whether records can be found by a target: an id of another system, id, reference, or a stored field with text. */
export function canFind({ definition }: Resource, { key, system, path, schema }: Target): boolean {
  if (system !== undefined || key in KEY_COLUMNS) return true;
  const isStored = key === 'name' || attributesOf(definition.entity).get(key)?.isStored === true;
  return path.length === 1 && schema['type'] === 'string' && schema['enum'] === undefined && isStored;
}
