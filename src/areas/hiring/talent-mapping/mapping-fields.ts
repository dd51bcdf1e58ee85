import { Injectable } from '@nestjs/common';
import type { Permission } from '#libs/auth/permissions.js';
import { Field, oneOf, text } from '#libs/http/field.js';
import type { Violation } from '#libs/kernel/problem.js';
import { type AttributeSpec, attributesOf } from '#libs/resource/types/attribute.js';
import type { ResourceDefinition } from '#libs/resource/types/definition.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { FieldMapping, Transform } from './mapping-template.js';

const KINDS = ['text', 'date', 'instant', 'list', 'custom'] as const;

/** A field that templates can copy from or to. */
export class MappableField {
  @Field(text({ max: 100 }), { description: 'Path for `fieldMap`.', example: 'employee.phone' })
  path!: string;

  @Field(oneOf(KINDS), {
    description: 'Kind of value; `list` is a list of texts, `custom` a field of the tenant.',
    example: 'text',
  })
  type!: (typeof KINDS)[number];

  @Field(text({ max: 500 }), { description: 'Meaning.', example: 'Private telephone number. Personal.' })
  description!: string;
}

/** The type behind the first segment of a path. */
const TYPES = {
  candidate: 'talent.candidate',
  application: 'talent.application',
  offer: 'talent.offer',
  employee: 'people.employee',
} as const;
export type Source = Exclude<keyof typeof TYPES, 'employee'>;

/** Fields of employees that the values of a mapping set, or that follow from other actions. */
const NOT_COPIED = new Set(['status', 'startDate', 'jobTitle', 'employmentType', 'workEmail', 'membershipId']);

/** A record as the source of values. */
export interface SourceRow {
  customFields: Record<string, unknown>;
}

/** The fields that templates can copy, from the declarations of the types. Without pay and other sensitive fields. */
@Injectable()
export class MappingFields {
  constructor(private readonly kit: ResourceKit) {}

  async catalogue(): Promise<{ candidate: MappableField[]; employee: MappableField[] }> {
    const sources: Source[] = ['candidate', 'application', 'offer'];
    const from = await Promise.all(sources.map((source) => this.fieldsOf(source)));
    return { candidate: from.flat(), employee: await this.fieldsOf('employee') };
  }

  /** Mappings of unknown fields, targets that occur twice, and values that the target can never hold. */
  async faultsOf(fieldMap: readonly FieldMapping[]): Promise<Violation[]> {
    const { candidate, employee } = await this.catalogue();
    const [from, to] = [candidate, employee].map((fields) => new Map(fields.map(({ path, type }) => [path, type])));
    const detail = 'The catalogue `fields` of the list has no such path.';
    const targets = new Set<string>();
    return fieldMap.flatMap((each, i) => {
      const faults: Violation[] = [];
      if (!from!.has(each.from)) faults.push({ pointer: `/fieldMap/${i}/from`, code: 'unknown_path', detail });
      if (!to!.has(each.to)) faults.push({ pointer: `/fieldMap/${i}/to`, code: 'unknown_path', detail });
      else if (targets.has(each.to))
        faults.push({ pointer: `/fieldMap/${i}/to`, code: 'not_unique', detail: 'The field is set twice.' });
      faults.push(...misfits(i, each, from!.get(each.from), to!.get(each.to)));
      targets.add(each.to);
      return faults;
    });
  }

  /** The copied fields of the employee; those without a value are left out. */
  copied(fieldMap: readonly FieldMapping[], rows: Record<Source, SourceRow | null>): Record<string, unknown> {
    const body: Record<string, unknown> = {};
    const customFields: Record<string, unknown> = {};
    for (const { from, to, transform = 'copy' } of fieldMap) {
      const value = transformed(valueAt(from, rows), transform);
      if (value === null) continue;
      const [, group = '', key] = to.split('.');
      if (key === undefined) body[group] = value;
      else customFields[key] = value;
    }
    return { ...body, ...(Object.keys(customFields).length > 0 ? { customFields } : {}) };
  }

  /** The permissions that setting the copied fields requires. */
  permissionsFor(fieldMap: readonly FieldMapping[]): Permission[] {
    const { entity } = this.kit.registry.ofType(TYPES.employee)!.definition;
    const attributes = attributesOf(entity);
    const needed = fieldMap.map(({ to }) => attributes.get(to.split('.')[1] ?? '')?.restricted);
    return [...new Set(needed.filter((each) => each !== undefined))];
  }

  private async fieldsOf(place: keyof typeof TYPES): Promise<MappableField[]> {
    const { definition } = this.kit.registry.ofType(TYPES[place])!;
    const own = declared(definition, place === 'employee').map(({ path, ...field }) => ({
      path: `${place}.${path}`,
      ...field,
    }));
    const custom = await this.kit.customFields.of(definition.type);
    return [
      ...own,
      ...custom.map(({ key, label }) => ({
        path: `${place}.customFields.${key}`,
        type: 'custom' as const,
        description: label,
      })),
    ];
  }
}

function declared({ entity }: ResourceDefinition, isTarget: boolean): MappableField[] {
  return [...attributesOf(entity)].flatMap(([path, attribute]) => {
    const type = kindOf(attribute);
    const isOpen = isTarget ? attribute.isSet && !NOT_COPIED.has(path) : attribute.isShown && attribute.isStored;
    if (type === null || !isOpen || attribute.privacy === 'sensitive') return [];
    return [{ path, type, description: attribute.about }];
  });
}

function kindOf({ kind: { schema, model } }: AttributeSpec): MappableField['type'] | null {
  if (model !== undefined) return null;
  const { type, format, items } = schema as { type?: string; format?: string; items?: { type?: string } };
  if (type === 'array') return items?.type === 'string' ? 'list' : null;
  if (type !== 'string' || format === 'uuid') return null;
  if (format === 'date') return 'date';
  return format === 'date-time' ? 'instant' : 'text';
}

/** What a field of its kind never holds, so that every hire would fail. The definition of a custom field can change. */
function misfits(
  index: number,
  { transform = 'copy' }: FieldMapping,
  from: MappableField['type'] | undefined,
  to: MappableField['type'] | undefined,
): Violation[] {
  const isOneText = from === 'list' && (transform === 'first' || transform === 'join');
  if (to === undefined || to === 'custom' || from === undefined || from === 'custom') return [];
  if (from === 'list' && !isOneText) {
    const detail = 'The source is a list and the target one value: choose `first` or `join`.';
    return [{ pointer: `/fieldMap/${index}/transform`, code: 'invalid_value', detail }];
  }
  if (to !== 'date' || from === 'date') return [];
  return [{ pointer: `/fieldMap/${index}/from`, code: 'invalid_type', detail: 'The target takes a date.' }];
}

function valueAt(path: string, rows: Record<Source, SourceRow | null>): unknown {
  const [place, group = '', key] = path.split('.');
  const row = rows[place as Source] as (SourceRow & Record<string, unknown>) | null; // a path of the catalogue
  return (key === undefined ? row?.[group] : row?.customFields[key]) ?? null;
}

function transformed(value: unknown, transform: Transform): unknown {
  if (Array.isArray(value)) {
    if (transform === 'copy') return value.length > 0 ? value : null;
    return transform === 'join' ? value.join(', ') || null : transformed(value[0] ?? null, 'copy');
  }
  if (typeof value !== 'string') return value;
  const changed = CHANGES[transform]?.(value) ?? value;
  return changed === '' ? null : changed;
}

const CHANGES: Partial<Record<Transform, (text: string) => string>> = {
  trim: (text) => text.trim(),
  lowercase: (text) => text.toLowerCase(),
  uppercase: (text) => text.toUpperCase(),
};
