import { Injectable } from '@nestjs/common';
import { every, type Guard, guarded, NOTHING, some } from '#libs/access/guard.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { fold } from '#libs/kernel/fold.js';
import { Problem } from '#libs/kernel/problem.js';
import { ENVELOPE_REFERENCES } from '#libs/resource/access/references.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ResourceDefinition } from '#libs/resource/types/definition.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { ArchiveContents } from '../archive/archive-contents.js';
import { BELONGING, NAMING_COLUMNS, PERSON_TABLES, type PersonTable } from './person-tables.js';
import { type Appearance, type DataSubject, type FoundPerson, MAX_FOUND, type SubjectFindings } from './subject.dto.js';

/** How often what is found leads to more. */
const ROUNDS = 4;
const TYPES = `select attrelid::regclass::text || '.' || attname as place, format_type(atttypid, null) as type
  from pg_attribute join pg_class on pg_class.oid = attrelid
  where relnamespace = 'data'::regnamespace and attnum > 0 and not attisdropped`;
const FILES = `select distinct file_id as id from data.file_uses where tenant_id = $1 and record_id = any($2::uuid[])`;

interface Row extends Pick<FoundPerson, 'id' | 'reference' | 'name'> {
  emails: (string | null)[];
  others: (string | null)[];
}

/** What is known about a person: records about them, and those that are part of these. */
export interface KnownSubject {
  persons: FoundPerson[];
  /** Ids of records by type key, those of the persons too. */
  records: Map<string, string[]>;
  /** All of these ids. */
  ids: string[];
}

/** Finds where a person appears, as far as the caller may see it. */
@Injectable()
export class SubjectFinder {
  constructor(
    private readonly database: Database,
    private readonly contents: ArchiveContents,
    private readonly kit: ResourceKit,
  ) {}

  /** Whether an object can name a person. @throws Problem 400. */
  refuseUnknown({ object }: DataSubject, pointer: string): void {
    if (object === undefined || PERSON_TABLES.some((each) => each.object === object)) return;
    const known = PERSON_TABLES.map((each) => each.object).join(', ');
    const detail = `Records of this type are about no person. Send one of ${known}, or an address.`;
    throw Problem.validation([{ pointer, code: 'unknown_record_type', detail }]);
  }

  async search(subject: DataSubject): Promise<SubjectFindings> {
    const known = await this.know(subject);
    if (known.ids.length === 0) return { persons: [], appearances: [] };
    const types = await this.columnTypes();
    const found: Appearance[] = [];
    for (const definition of this.contents.types(EVERYTHING).found)
      found.push(...(await this.namedIn(definition, known, types)));
    for (const { type, table, who } of this.contents.tables(EVERYTHING).found) {
      const columns = (NAMING_COLUMNS[table] ?? []).filter((column) => column !== 'id');
      const guard = this.contents.sightOf(who, EVERYTHING);
      const naming = columns.map((column) => ({
        field: camelOf(column),
        guard: namingBy(table, column, types, known.ids),
      }));
      found.push(...(await this.counted(type, table, naming, guard)));
    }
    return { persons: known.persons, appearances: found };
  }

  /** The records about a person, and those that are part of them. */
  async know(subject: DataSubject): Promise<KnownSubject> {
    const persons = await this.personsOf(subject);
    const records = new Map<string, string[]>();
    const add = (type: string, ids: readonly string[]) => {
      const all = records.get(type) ?? [];
      const more = ids.filter((id) => !all.includes(id));
      if (more.length > 0) records.set(type, [...all, ...more]);
      return more;
    };
    for (const { object, id } of persons) add(object, [id]);
    let ids = persons.map(({ id }) => id);
    for (let round = 0; round < ROUNDS && ids.length > 0; round++) {
      const next: string[] = [];
      for (const definition of this.contents.types(EVERYTHING).found)
        next.push(...add(definition.type, await this.belonging(definition, ids)));
      next.push(...add('documents.file', await this.filesOf(ids)));
      ids = next;
    }
    return { persons, records, ids: [...records.values()].flat() };
  }

  /** The rows of a table that name one of the ids. */
  async naming(table: string, ids: readonly string[]): Promise<Guard> {
    const types = await this.columnTypes();
    return some(...NAMING_COLUMNS[table]!.map((column) => namingBy(table, column, types, ids)))!;
  }

  private async personsOf({ email, object, id }: DataSubject): Promise<FoundPerson[]> {
    const found = new Map<string, FoundPerson>();
    let emails = email === undefined ? [] : [fold(email)];
    let ids = id === undefined ? [] : [id];
    const asked = new Set<string>();
    for (let round = 0; round < ROUNDS && emails.length + ids.length > 0; round++) {
      const [nextEmails, nextIds] = [new Set<string>(), new Set<string>()];
      for (const each of PERSON_TABLES) {
        const isFirst = round === 0 && object !== undefined;
        if (isFirst && each.object !== object) continue;
        for (const row of await this.rowsOf(each, emails, ids)) {
          if (found.has(row.id)) continue;
          found.set(row.id, { object: each.object, id: row.id, reference: row.reference, name: row.name });
          for (const address of row.emails) if (address !== null) nextEmails.add(address);
          for (const other of row.others) if (other !== null) nextIds.add(other);
        }
      }
      for (const each of [...emails, ...ids]) asked.add(each);
      emails = [...nextEmails].filter((each) => !asked.has(each));
      ids = [...nextIds].filter((each) => !asked.has(each));
    }
    return [...found.values()].slice(0, MAX_FOUND);
  }

  private rowsOf(
    { table, reference, name, emails, others, ...sight }: PersonTable,
    addresses: readonly string[],
    ids: readonly string[],
  ): Promise<Row[]> {
    const text = `select t.id, ${reference} as reference, ${name} as name, ${emails} as emails, ${others} as others
      from ${table} t where t.tenant_id = $1 and (${emails} && $2::text[] or t.id = any($3::uuid[]))`;
    const query = guarded(text, [currentTenant().id, addresses, ids], this.sightOfPerson(sight), ` limit ${MAX_FOUND}`);
    return this.database.read<Row>(query);
  }

  private sightOfPerson({ object, requires }: Pick<PersonTable, 'object' | 'requires'>): Guard | null {
    const { permissions } = currentPrincipal();
    if (requires !== null) return permissions.reach(requires) === 'tenant' ? null : NOTHING;
    const { definition, service } = this.kit.registry.ofType(object)!;
    return permissions.has(definition.permissions.read) ? this.sightOf(definition, service.visible()) : NOTHING;
  }

  /** Records in the trash only for those who may see it. */
  private sightOf({ list }: ResourceDefinition, visible: Guard | null): Guard | null {
    const { permissions } = currentPrincipal();
    const seesTrash = list.trashPermission !== undefined && permissions.reach(list.trashPermission) === 'tenant';
    return every(visible, seesTrash ? null : () => 't.deleted_at is null');
  }

  private async belonging(definition: ResourceDefinition, ids: readonly string[]): Promise<string[]> {
    const fields = BELONGING.filter((field) => field in referencesOf(definition));
    if (fields.length === 0) return [];
    const { table, visible } = this.tableOf(definition);
    const naming = some(
      ...fields.map(
        (field): Guard =>
          (add) =>
            `t.${snakeOf(field)} = any(${add(ids)}::uuid[])`,
      ),
    );
    const query = guarded(
      `select t.id from ${table} t where t.tenant_id = $1`,
      [currentTenant().id],
      every(naming, visible),
    );
    return (await this.database.read<{ id: string }>(query)).map(({ id }) => id);
  }

  private async filesOf(ids: readonly string[]): Promise<string[]> {
    if (!currentPrincipal().permissions.has('files:read')) return [];
    const rows = await this.database.read<{ id: string }>(statement(FILES, [currentTenant().id, ids]));
    return rows.map(({ id }) => id);
  }

  private namedIn(definition: ResourceDefinition, known: KnownSubject, types: ColumnTypes): Promise<Appearance[]> {
    const { table, visible } = this.tableOf(definition);
    const targets = new Set([...known.records.keys()].map((type) => this.tableNameOf(type)));
    const fields = Object.entries(referencesOf(definition)).filter(([, reference]) => targets.has(reference.table));
    const naming = fields.flatMap(([field]) => {
      const column = snakeOf(field);
      return types.has(`${table}.${column}`) ? [{ field, guard: namingBy(table, column, types, known.ids) }] : [];
    });
    return this.counted(definition.type, table, naming, visible);
  }

  private async counted(
    object: string,
    table: string,
    naming: readonly { field: string; guard: Guard }[],
    sight: Guard | null,
  ): Promise<Appearance[]> {
    if (naming.length === 0) return [];
    const values: unknown[] = [currentTenant().id];
    const add = (value: unknown) => `$${values.push(value)}`;
    const counts = naming.map(({ guard }) => `count(*) filter (where ${guard(add)})::integer`);
    const any = some(...naming.map(({ guard }) => guard))!;
    const limits = every(any, sight)!;
    const text = `select array[${counts.join(', ')}] as counts from ${table} t where t.tenant_id = $1 and ${limits(add)}`;
    const [row] = await this.database.read<{ counts: number[] }>(statement(text, values));
    return naming.flatMap(({ field }, index) => {
      const count = row!.counts[index]!;
      return count > 0 ? [{ object, field, count }] : [];
    });
  }

  private tableOf(definition: ResourceDefinition): { table: string; visible: Guard | null } {
    const { service } = this.kit.registry.ofType(definition.type)!;
    return { table: service.table, visible: this.sightOf(definition, service.visible()) };
  }

  private tableNameOf(type: string): string {
    return this.kit.registry.ofType(type)?.service.table ?? PERSON_TABLES.find(({ object }) => object === type)!.table;
  }

  private async columnTypes(): Promise<ColumnTypes> {
    const rows = await this.database.read<{ place: string; type: string }>(statement(TYPES));
    return new Map(rows.map(({ place, type }) => [place, type]));
  }
}

type ColumnTypes = ReadonlyMap<string, string>;

/** What a search looks through. */
const EVERYTHING = { kind: 'tenant', areas: null, includeDeleted: true, isFull: false, snapshotAt: null } as const;

function referencesOf({ references, named, labels }: ResourceDefinition) {
  return { ...ENVELOPE_REFERENCES, ...references, ...named, ...labels };
}

/** The rows whose column names one of the ids. */
function namingBy(table: string, column: string, types: ColumnTypes, ids: readonly string[]): Guard {
  const type = types.get(`${table}.${column}`);
  if (type === 'uuid') return (add) => `t.${column} = any(${add(ids)}::uuid[])`;
  if (type === 'uuid[]') return (add) => `t.${column} && ${add(ids)}::uuid[]`;
  if (type === 'jsonb') return (add) => `t.${column} ?| ${add(ids)}::text[]`;
  return (add) => `t.${column} = any(${add(ids)}::text[])`;
}

function camelOf(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function snakeOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
