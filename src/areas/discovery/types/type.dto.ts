import { anyObject, Field, flag, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import { DiscoveredCustomField } from '#libs/resource/records/custom-field.dto.js';
import { PageInfo } from '#libs/resource/types/record.dto.js';

const word = text({ max: 128 });
const sentence = text({ max: 2_000 });
const words = listOf(word, { max: 10_000 });
const jsonSchema = anyObject();
export const CLASSES = ['public', 'personal', 'sensitive'] as const;

export class TypeQuery extends PageQuery {
  @Field(text({ min: 1, max: 64 }), { description: 'Only types of this area.', example: 'sales', optional: true })
  area?: string;
}

export class DiscoveredType {
  @Field(word, { description: 'Type key, the `object` of responses.', example: 'sales.deal' })
  object!: string;

  @Field(word, { description: 'Singular noun for a record.', example: 'deal' })
  noun!: string;

  @Field(word, { description: 'Area.', example: 'sales' })
  area!: string;

  @Field(oneOf(['record', 'object']), {
    description: '`record` for business records, `object` for objects managed by administrators.',
    example: 'record',
  })
  kind!: string;

  @Field(text({ max: 200 }), { description: 'Path of the collection.', example: '/api/v1/sales/deals' })
  path!: string;

  @Field(word, { description: 'Permission to read; null for objects, see their operations.', nullable: true })
  readPermission!: string | null;

  @Field(word, {
    description: 'Permission to create and edit; null for objects, see their operations.',
    nullable: true,
  })
  writePermission!: string | null;

  @Field(text({ max: 200 }), {
    description: 'Path of its full description.',
    example: '/api/discovery/types/sales.deal',
  })
  self!: string;
}

export class TypeList {
  @Field(listOf(nested(DiscoveredType), { max: 10_000 }), { description: 'The types, by key.' })
  data!: DiscoveredType[];

  @Field(nested(PageInfo), { description: 'Paging information.' })
  page!: PageInfo;
}

export class DiscoveredField {
  @Field(word, { description: 'Name of the field.', example: 'closeDate' })
  name!: string;

  @Field(sentence, { description: 'Meaning of the field.', example: 'Day on which it is expected to close.' })
  about!: string;

  @Field(word, {
    description:
      'Type: `text`, `integer`, `number`, `boolean`, `date`, `datetime`, `id`, `select`, `list` or `object`.',
    example: 'date',
  })
  type!: string;

  @Field(jsonSchema, { description: 'JSON Schema of its values.', example: { type: 'string', format: 'date' } })
  schema!: object;

  @Field(oneOf(CLASSES), { description: 'Privacy class.', example: 'public' })
  class!: (typeof CLASSES)[number];

  @Field(flag(), { description: 'Whether responses include it.', example: true })
  readable!: boolean;

  @Field(flag(), { description: 'Whether it is required on creation.', example: false })
  required!: boolean;

  @Field(flag(), { description: 'Whether it can be set on creation.', example: true })
  creatable!: boolean;

  @Field(flag(), { description: 'Whether a PATCH can change it.', example: true })
  editable!: boolean;

  @Field(flag(), { description: 'Whether it can be null.', example: true })
  canBeNull!: boolean;

  @Field(flag(), { description: 'Whether its values must be unique.', example: false })
  unique!: boolean;

  @Field(flag(), { description: 'Whether lists can be filtered by it.', example: true })
  filterable!: boolean;

  @Field(words, {
    description: 'Filter operators; `eq` is the parameter without brackets.',
    example: ['eq', 'gte'],
  })
  operators!: string[];

  @Field(flag(), { description: 'Whether lists can be sorted by it.', example: true })
  sortable!: boolean;

  @Field(word, {
    description: 'Permission required to read and set it; null if none beyond that of the type.',
    nullable: true,
  })
  permission!: string | null;
}

export class DiscoveredFilter {
  @Field(word, { description: 'Name of the parameter.', example: 'tag' })
  name!: string;

  @Field(words, { description: 'Supported operators.', example: ['eq', 'in'] })
  operators!: string[];
}

export class DiscoveredRelation {
  @Field(word, { description: 'Field that holds the reference.', example: 'accountId' })
  field!: string;

  @Field(word, { description: 'Referenced type; null for targets outside this list, such as members.', nullable: true })
  object!: string | null;

  @Field(flag(), { description: 'Whether the field holds several ids.', example: false })
  many!: boolean;
}

export class IncomingRelation extends DiscoveredRelation {
  @Field(word, { description: 'Type whose field references records of this type.', example: 'finance.invoice' })
  declare object: string;
}

export class DiscoveredTransition {
  @Field(word, { description: 'Action.', example: 'win' })
  action!: string;

  @Field(text({ max: 500 }), { description: 'Summary.', example: 'Win a deal' })
  summary!: string;

  @Field(words, { description: 'States in which it is allowed.', example: ['open'] })
  from!: string[];

  @Field(word, { description: 'Resulting state; null if it stays the same.', nullable: true, example: 'won' })
  to!: string | null;

  @Field(word, { description: 'Required permission.', example: 'deals:close' })
  permission!: string;

  @Field(word, { description: 'Operation; null for transitions made only by the platform.', nullable: true })
  operation!: string | null;

  @Field(word, { description: 'Event that it emits.', example: 'sales.deal.won' })
  event!: string;

  @Field(word, { description: 'Gate that guards it; null if there is none.', nullable: true, example: 'deal.win' })
  gate!: string | null;

  @Field(flag(), { description: 'Whether you hold the permission for at least some records.', example: true })
  allowed!: boolean;
}

export class DiagramEdge {
  @Field(word, { description: 'State before.', example: 'open' })
  from!: string;

  @Field(word, { description: 'State after.', example: 'won' })
  to!: string;

  @Field(word, { description: 'Action.', example: 'win' })
  action!: string;
}

export class StateDiagram {
  @Field(words, { description: 'States.', example: ['open', 'won', 'lost'] })
  nodes!: string[];

  @Field(listOf(nested(DiagramEdge), { max: 10_000 }), { description: 'Transitions between the states.' })
  edges!: DiagramEdge[];

  @Field(text({ max: 100_000 }), {
    description: 'The same as a Mermaid state diagram.',
    example: 'stateDiagram-v2\n  [*] --> open\n  open --> won: win',
  })
  mermaid!: string;
}

export class DiscoveredStates {
  @Field(word, { description: 'Field with the state; null if no field shows it.', nullable: true, example: 'status' })
  field!: string | null;

  @Field(word, { description: 'State of a new record.', example: 'open' })
  initial!: string;

  @Field(words, { description: 'All states.', example: ['open', 'won', 'lost'] })
  all!: string[];

  @Field(listOf(nested(DiscoveredTransition), { max: 1_000 }), { description: 'The actions.' })
  transitions!: DiscoveredTransition[];

  @Field(nested(StateDiagram), { description: 'The life cycle as a diagram.' })
  diagram!: StateDiagram;
}

export class DiscoveredEvent {
  @Field(word, { description: 'Event type.', example: 'sales.deal.won' })
  type!: string;

  @Field(integer({ min: 1, max: 1_000 }), { description: 'Newest version of its schema.', example: 1 })
  version!: number;

  @Field(sentence, { description: 'When it occurs.', example: 'A deal was won.' })
  about!: string;
}

export class TypeDetail extends DiscoveredType {
  @Field(listOf(nested(DiscoveredField), { max: 1_000 }), { description: 'Its fields.' })
  fields!: DiscoveredField[];

  @Field(listOf(nested(DiscoveredFilter), { max: 1_000 }), {
    description: 'List filters that are not fields.',
  })
  filters!: DiscoveredFilter[];

  @Field(nested(DiscoveredStates), { description: 'Its life cycle; null for objects.', nullable: true })
  states!: DiscoveredStates | null;

  @Field(listOf(nested(DiscoveredEvent), { max: 1_000 }), { description: 'Its events.' })
  events!: DiscoveredEvent[];

  @Field(listOf(nested(DiscoveredRelation), { max: 1_000 }), { description: 'References to other types.' })
  relations!: DiscoveredRelation[];

  @Field(listOf(nested(IncomingRelation), { max: 1_000 }), { description: 'References from other types.' })
  namedBy!: IncomingRelation[];

  @Field(listOf(nested(DiscoveredCustomField), { max: 1_000 }), { description: 'Custom fields of the tenant.' })
  customFields!: DiscoveredCustomField[];

  @Field(words, { description: 'Its operations.', example: ['sales.deals.create'] })
  operations!: string[];
}
