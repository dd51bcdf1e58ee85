import { Body, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { id, listOf, nested, type FieldSpec, type ModelClass } from '#libs/http/field.js';
import { fieldsOf } from '#libs/http/field.js';
import type { Permission } from '#libs/auth/permissions.js';
import { type Besides, Route, type RouteOptions } from '#libs/http/route.js';
import type { ProblemCode } from '#libs/kernel/problem.js';
import { collectionPatch, MAX_ITEMS, severalOf } from './collection-patch.js';
import { declareHandler } from './declare-handler.js';
import { operationPrefix, type ResourceDefinition } from '../types/definition.js';
import { itemQuery, recordQuery } from '../lists/list-shape.js';
import { ApprovalView, parkedOf } from '../gates/approval.js';
import { batchOf, creationsOf, Deleted, model, recordPageOf } from '../types/record.dto.js';
import { createMany, removeMany, updateMany } from './batch.js';
import type { Records } from '../records/records.js';
import { sent } from '../records/sent.js';
import { kebab, withArticle } from '../types/standard-actions.js';

/** What callers can do with records of any type. */
export type RecordVerbs = Pick<Records, 'list' | 'get' | 'create' | 'update' | 'act' | 'remove' | 'unit' | 'translate'>;
type Input = Record<string, unknown>;

/** Problems of a restore: a unique value is taken, or a referenced record is in the trash. */
const RESTORING: ProblemCode[] = ['duplicate', 'reference_in_trash'];
const GATED: ProblemCode[] = ['gate_denied', 'approval_pending'];
const WAITING: Record<string, FieldSpec> = {
  approval: {
    kind: nested(ApprovalView),
    description: 'The request for approval that it waits for; the record is as it was.',
    nullable: true,
  },
};

/**
 * The routes of a resource: list, create, read, change, delete, one route per action of its life cycle, and change and
 * delete on the collection path. Write additional handlers beside them.
 */
export function ResourceController(
  definition: ResourceDefinition<never> | ResourceDefinition,
): abstract new (service: object) => object {
  const {
    type: object,
    noun,
    view,
    create,
    update,
    permissions,
    lifecycle,
    inputs,
    stateField,
    example,
  } = definition as ResourceDefinition;
  const { problems = {}, bodies = {}, besides = {} } = definition as ResourceDefinition;
  const operation = operationPrefix(definition);
  const plural = definition.collection.replaceAll('-', ' ');
  const page = recordPageOf(view);
  const removal = lifecycle.transitions['delete'];
  const gated = Object.values(lifecycle.transitions).some(({ gate }) => gate !== undefined);
  const parked = gated ? { accepted: parkedOf(view) } : {};
  const batch = batchOf(view, `${view.name}Batch`, gated ? WAITING : {});
  const deletions = batchOf(Deleted, `${view.name}Deletions`);
  const locks: ProblemCode[] = 'archive' in lifecycle.transitions ? ['record_locked'] : [];
  // Only one record of a type can have a given id of another system.
  const named: ProblemCode[] = fieldsOf(create).has('externalRefs') ? ['duplicate'] : [];
  // A patch of the state can also take an action.
  const standsForActions = stateField !== undefined && fieldsOf(update).has(stateField);
  const changes: ProblemCode[] = [
    ...['not_found' as const, ...locks, ...named, ...(gated ? GATED : [])],
    ...(problems['update'] ?? []),
    ...(standsForActions ? problemsByPatch(lifecycle, problems) : []),
  ];

  const whenChanged: Besides[] = [
    ...(besides['update'] ?? []),
    ...(standsForActions ? besidesByPatch(lifecycle, permissions.write, besides) : []),
  ];

  abstract class Kit {
    constructor(protected readonly records: RecordVerbs) {}

    @Route({
      id: `${operation}.list`,
      summary: `List ${plural}`,
      permission: permissions.read,
      object,
      besides: besides['list'] ?? [],
      query: recordQuery(`${view.name}ListQuery`, definition),
      answer: page,
      problems: ['cursor_invalid'],
    })
    @Get()
    list(@Query() query: Input) {
      return this.records.list(query);
    }

    @Route({
      id: `${operation}.create`,
      summary: `Create ${withArticle(noun)}`,
      description: `With \`items\`, up to ${MAX_ITEMS} at once, each with a result of its own; those that can be created are committed together.`,
      permission: permissions.write,
      object,
      besides: besides['create'] ?? [],
      status: 201,
      body: create,
      several: { body: severalOf(create, noun), answer: creationsOf(view) },
      answer: view,
      record: true,
      problems: [...named, ...(problems['create'] ?? [])],
      keyInFlight: true,
      example: { body: bodies['create'], answer: example },
    })
    @Post()
    create(@Body() input: Input) {
      return 'items' in input ? createMany(this.records, input['items'] as Input[]) : this.records.create(sent(input));
    }

    @Route({
      id: `${operation}.get`,
      summary: `Read ${withArticle(noun)}`,
      permission: permissions.read,
      object,
      query: itemQuery(definition),
      answer: view,
      record: true,
      example: { answer: example },
    })
    @Get(':id')
    get(@Param('id') recordId: string, @Query() query: Input) {
      return this.records.get(recordId, query);
    }

    @Route({
      id: `${operation}.update`,
      summary: `Change ${withArticle(noun)}`,
      description: 'A JSON merge patch (RFC 7396): absent members stay as they are, null empties a field.',
      permission: permissions.write,
      object,
      besides: whenChanged,
      body: update,
      answer: view,
      ...parked,
      record: true,
      problems: changes,
      example: { body: bodies['update'], answer: example },
    })
    @Patch(':id')
    update(@Param('id') recordId: string, @Body() patch: Input) {
      return this.records.update(recordId, patch);
    }

    @Route({
      id: `${operation}.update_many`,
      summary: `Change one ${noun} or several`,
      description: `With \`id\`, a merge patch of that ${noun}. With \`items\`, one for each of up to ${MAX_ITEMS}, each with a result of its own.`,
      permission: permissions.write,
      object,
      besides: whenChanged,
      body: collectionPatch(`${view.name}CollectionPatch`, update),
      answer: [view, batch],
      ...parked,
      record: true,
      problems: changes,
      example: { body: { id: example['id'], ...bodies['update'] }, answer: example },
    })
    @Patch()
    updateMany(@Body() patch: Input) {
      return updateMany(this.records, patch);
    }
  }

  if (removal) {
    const held: ProblemCode[] = removal.from.length < lifecycle.states.length ? ['record_locked'] : [];
    const removalProblems: ProblemCode[] = ['not_found', 'legal_hold', ...held, ...(problems['delete'] ?? [])];
    addRemoval(Kit, {
      operation,
      noun,
      deletions,
      object,
      permission: removal.permission as never,
      problems: removalProblems,
    });
  }
  for (const [action, transition] of Object.entries(lifecycle.transitions)) {
    if (action === 'delete' || transition.byPlatform) continue;
    const input = inputs[action];
    addAction(Kit, action, {
      id: `${operation}.${action}`,
      summary: transition.summary,
      permission: transition.permission as never,
      object,
      besides: besides[action] ?? [],
      ...(input ? { body: input, bodyOptional: ![...fieldsOf(input).values()].some((field) => !field.optional) } : {}),
      answer: view,
      ...(transition.gate === undefined ? {} : parked),
      record: true,
      problems: [
        'invalid_transition',
        ...(action === 'restore' ? RESTORING : []),
        ...(transition.isErasure ? (['legal_hold'] as const) : []),
        ...(transition.gate === undefined ? [] : GATED),
        ...(problems[action] ?? []),
      ],
      example: { body: bodies[action], answer: example },
    });
  }
  return Kit as unknown as abstract new (service: object) => object; // the area's class names its own service type
}

/** Problems of the actions that a patch of the state can take. */
function problemsByPatch(
  { transitions }: ResourceDefinition['lifecycle'],
  problems: NonNullable<ResourceDefinition['problems']>,
): ProblemCode[] {
  const actions = Object.keys(transitions).filter((each) => transitions[each]!.to && !transitions[each]!.byPlatform);
  return actions.flatMap((action) => problems[action] ?? []);
}

/** Scopes of the actions that a patch of the state can take. */
function besidesByPatch(
  { transitions }: ResourceDefinition['lifecycle'],
  write: string,
  besides: NonNullable<ResourceDefinition['besides']>,
): Besides[] {
  return Object.entries(transitions).flatMap(([action, { to, byPlatform, permission }]) => {
    if (!to || byPlatform || action === 'delete') return [];
    const own =
      permission === write
        ? []
        : [{ scope: permission as Permission, when: `If the change stands for the action \`${action}\`.` }];
    return [...own, ...(besides[action] ?? [])];
  });
}

function addAction(kit: { prototype: object }, action: string, route: Parameters<typeof Route>[0]): void {
  const handler = function (this: { records: RecordVerbs }, recordId: string, input: Input) {
    return this.records.act(action, recordId, input);
  };
  declareHandler(
    kit.prototype,
    `act_${action}`,
    handler,
    [Post(`:id/${kebab(action)}`), Route(route)],
    [Param('id'), Body()],
  );
}

function addRemoval(
  kit: { prototype: object },
  options: Pick<RouteOptions, 'object' | 'problems'> & {
    operation: string;
    noun: string;
    deletions: ModelClass;
    permission: never;
  },
): void {
  const { operation, noun, deletions, ...guarded } = options;
  declareHandler(
    kit.prototype,
    'remove',
    function (this: { records: RecordVerbs }, recordId: string) {
      return this.records.remove(recordId);
    },
    [
      Delete(':id'),
      Route({ id: `${operation}.delete`, summary: `Delete ${withArticle(noun)}`, answer: Deleted, ...guarded }),
    ],
    [Param('id')],
  );
  const query = model(`${deletions.name}Query`, {
    id: { kind: id(), description: `The ${noun} to delete.`, optional: true },
    ids: {
      kind: listOf(id(), { min: 1, max: MAX_ITEMS, unique: true }),
      description: `Several to delete, separated by commas, up to ${MAX_ITEMS}.`,
      optional: true,
    },
  });
  declareHandler(
    kit.prototype,
    'removeMany',
    function (this: { records: RecordVerbs }, values: Input) {
      return removeMany(this.records, values);
    },
    [
      Delete(),
      Route({
        id: `${operation}.delete_many`,
        summary: `Delete one ${noun} or several`,
        description: 'With `id` or with `ids`; the latter gives a result for each.',
        query,
        answer: [Deleted, deletions],
        ...guarded,
      }),
    ],
    [Query()],
  );
}
