import {
  addFields,
  anyObject,
  Field,
  fieldsOf,
  flag,
  id,
  instant,
  integer,
  listOf,
  name,
  nested,
  oneOf,
  text,
  type FieldSpec,
  type Kind,
  type ModelClass,
} from '#libs/http/field.js';
import { ProblemDocument } from '#libs/http/problems/problem.dto.js';
import type { Lifecycle } from '#libs/kernel/lifecycle.js';
import { customFieldValues, ExternalReference, tagList } from './envelope.js';

const externalRefs = () => listOf(nested(ExternalReference), { max: 20 });

/** Who created or changed a record. */
export class ActorView {
  @Field(text({ max: 20 }), {
    description: 'Kind of principal: api_key, scim, automation or system.',
    example: 'api_key',
  })
  type!: string;

  @Field(text({ max: 36 }), { description: 'Its id; null for the platform itself.', nullable: true })
  id!: string | null;

  @Field(text({ max: 200 }), { description: 'Its name at that time.', example: 'Billing integration' })
  name!: string;
}

/** The fields that callers can set on every record. */
export abstract class RecordInput {
  @Field(name(), { description: 'Label of the record.', example: 'Acme renewal' })
  name!: string;

  @Field(id(), { description: 'Workspace it belongs to; the whole tenant if null.', optional: true, nullable: true })
  workspaceId!: string | null;

  @Field(id(), {
    description: 'Membership that owns it; the member that the caller acts for if not given.',
    optional: true,
    nullable: true,
  })
  ownerId!: string | null;

  @Field(tagList(), { description: 'Labels. Case is kept and makes no difference.', example: ['key'], optional: true })
  tags!: string[];

  @Field(customFieldValues(), {
    description: 'Values of the tenant’s own fields by key, see `/api/settings/custom-fields`. Null empties one.',
    optional: true,
  })
  customFields!: Record<string, unknown>;

  @Field(externalRefs(), {
    description: 'Ids of the record in other systems; each may stand on one record of a type outside the trash.',
    optional: true,
  })
  externalRefs!: ExternalReference[];
}

/** The fields that every record shows. */
export abstract class RecordView {
  @Field(id(), { description: 'Id of the record (UUIDv7).', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20' })
  id!: string;

  @Field(text({ max: 60 }), { description: 'Type of the record.', example: 'sales.deal' })
  object!: string;

  @Field(text({ max: 40 }), { description: 'Short number, unique per tenant and type.', example: 'DEAL-000123' })
  reference!: string;

  @Field(name(), { description: 'Label of the record.', example: 'Acme renewal' })
  name!: string;

  @Field(id(), { description: 'Workspace it belongs to; the whole tenant if null.', nullable: true })
  workspaceId!: string | null;

  @Field(id(), { description: 'Membership that owns it.', nullable: true })
  ownerId!: string | null;

  @Field(listOf(text({ max: 50 }), { max: 50 }), { description: 'Labels.', example: [] })
  tags!: string[];

  @Field(customFieldValues(), { description: 'Values of the tenant’s own fields, by key.', example: {} })
  customFields!: Record<string, unknown>;

  @Field(externalRefs(), { description: 'Ids of the record in other systems.', example: [] })
  externalRefs!: ExternalReference[];

  @Field(integer({ min: 1, max: 2_147_483_647 }), {
    description: 'Increases by one with each change; also the ETag.',
    example: 1,
  })
  version!: number;

  @Field(instant(), { description: 'Time of creation.', example: '2026-11-21T09:15:02.114Z' })
  createdAt!: string;

  @Field(instant(), { description: 'Time of the last change.', example: '2026-11-21T09:15:02.114Z' })
  updatedAt!: string;

  @Field(nested(ActorView), { description: 'Creator.' })
  createdBy!: ActorView;

  @Field(nested(ActorView), { description: 'Author of the last change.' })
  updatedBy!: ActorView;

  @Field(instant(), { description: 'Time at which it was archived: hidden from lists, read-only.', nullable: true })
  archivedAt!: string | null;

  @Field(instant(), { description: 'Time at which it was put into the trash.', nullable: true })
  deletedAt!: string | null;

  @Field(listOf(text({ max: 60 }), { max: 50 }), {
    description:
      'Actions that the caller could take now. Null in events, and in lists without `include=allowedActions`.',
    nullable: true,
    example: ['move', 'win', 'lose', 'archive', 'delete'],
  })
  allowedActions!: string[] | null;
}

/** Where a page of a list ends. */
export class PageInfo {
  @Field(integer({ min: 1, max: 10_000 }), { description: 'Largest number of items asked for.', example: 50 })
  limit!: number;

  @Field(flag(), { description: 'Whether there are more items after these.' })
  hasMore!: boolean;

  @Field(text({ max: 4_000 }), {
    description: 'Pass it as `cursor` for the next page; null on the last.',
    nullable: true,
  })
  nextCursor!: string | null;
}

/** Where a page of records ends. */
export class RecordPageInfo extends PageInfo {
  @Field(integer({ min: 0, max: 2_147_483_647 }), {
    description: 'Number of records on all pages; only with `count=true`.',
    optional: true,
  })
  total?: number;
}

/** What a list says about something that its records point to. */
export class IncludedLabel {
  @Field(text({ max: 60 }), { description: 'Type.', example: 'sales.account' })
  object!: string;

  @Field(id(), { description: 'Id.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b2a' })
  id!: string;

  @Field(text({ max: 40 }), {
    description: 'Short number; null for members and workspaces, which have none.',
    example: 'ACC-000001',
    nullable: true,
  })
  reference!: string | null;

  @Field(text({ max: 200 }), { description: 'Name.', example: 'Acme Inc.' })
  name!: string;
}

const labels = (): Kind => ({
  ...anyObject({
    type: 'object',
    additionalProperties: { anyOf: [nested(IncludedLabel).schema, { type: 'null' }] },
  }),
  model: IncludedLabel,
});

/** Description of the `page` of an answer that is always complete. */
export const ONE_PAGE = { description: 'Paging information: everything is on this one page.' };

/** Response of a DELETE. */
export class Deleted {
  @Field(id(), { description: 'Id of the record.' })
  id!: string;

  @Field(text({ max: 60 }), { description: 'Type of the record.', example: 'sales.deal' })
  object!: string;

  @Field(flag(), { description: 'Always true.', example: true })
  deleted!: boolean;

  @Field(instant(), { description: 'Time of deletion.' })
  deletedAt!: string;
}

/** A generated model: a class with a name and fields. */
export function model(className: string, fields: Record<string, FieldSpec>): ModelClass {
  const made = { [className]: class {} }[className]!;
  addFields(made, Object.entries(fields));
  return made;
}

/** The response of a list of `item`. */
export function pageOf(item: ModelClass): ModelClass {
  return model(`${item.name}Page`, {
    data: { kind: listOf(nested(item), { max: 200 }), description: 'The items of this page, in order.' },
    page: { kind: nested(PageInfo), description: 'Paging information.' },
  });
}

/** The response of a list of records. */
export function recordPageOf(view: ModelClass): ModelClass {
  return model(`${view.name}Page`, {
    ...Object.fromEntries(fieldsOf(pageOf(view))),
    page: { kind: nested(RecordPageInfo), description: 'Paging information.' },
    included: {
      kind: labels(),
      description:
        'With `include`, the names of what the records point to, by id; null for what the caller may not see, and for what is in the trash or gone.',
      optional: true,
    },
  });
}

/** The response of an operation on several records: one result each, in the order of the request. */
export function batchOf(item: ModelClass, className: string, more: Record<string, FieldSpec> = {}): ModelClass {
  return resultsModel(item, className, { id: { kind: id(), description: 'Id of the record.' } }, more);
}

/** Like {@link batchOf}, for new records: one that was refused has no id. */
export function creationsOf(view: ModelClass): ModelClass {
  const made = { kind: id(), description: 'Id of the new record; null if it was refused.', nullable: true };
  return resultsModel(view, `${view.name}Creations`, { id: made });
}

function resultsModel(
  item: ModelClass,
  className: string,
  named: Record<'id', FieldSpec>,
  more: Record<string, FieldSpec> = {},
): ModelClass {
  const result = model(`${className}Result`, {
    ...named,
    ok: { kind: flag(), description: 'Whether the operation succeeded for it.' },
    record: { kind: nested(item), description: 'The outcome.', nullable: true },
    problem: { kind: nested(ProblemDocument), description: 'Why it failed.', nullable: true },
    ...more,
  });
  return model(className, {
    results: { kind: listOf(nested(result), { max: 100 }), description: 'One result for each record.' },
  });
}

/**
 * The update model of a type with states: a merge patch of its create model, plus the state and the inputs of its
 * actions as shorthands. `except` lists fields that can only be set at creation.
 */
export function updateOf(
  className: string,
  create: ModelClass,
  states: { field: string; lifecycle: Lifecycle; inputs: Partial<Record<string, ModelClass>> },
  except: readonly string[] = [],
): ModelClass {
  const { lifecycle, inputs } = states;
  const shorthand: Record<string, FieldSpec> = {
    [states.field]: {
      kind: oneOf(lifecycle.states),
      description: 'Shorthand for the action that leads there.',
      optional: true,
    },
  };
  for (const [action, { to }] of Object.entries(lifecycle.transitions))
    if (to !== null && inputs[action])
      for (const [field, spec] of fieldsOf(inputs[action])) shorthand[field] ??= { ...spec, optional: true };
  const patch = mergePatchOf(className, create, {});
  const own = [...fieldsOf(patch)].filter(([field]) => !except.includes(field));
  return model(className, { ...shorthand, ...Object.fromEntries(own) });
}

/** A merge patch of a create model (RFC 7396): each field may be absent, and may be null if the field can be empty. */
export function mergePatchOf(className: string, create: ModelClass, more: Record<string, FieldSpec> = {}): ModelClass {
  const fields = [...fieldsOf(create)].map(([field, spec]) => [field, { ...spec, optional: true }] as const);
  return model(className, { ...Object.fromEntries(fields), ...more });
}
