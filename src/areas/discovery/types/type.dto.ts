import { anyObject, Field, flag, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { ShortListQuery } from '#libs/resource/lists/page-query.js';
import { CUSTOM_FIELD_TYPES } from '#libs/resource/records/custom-field-values.js';
import { PageInfo } from '#libs/resource/types/record.dto.js';

const word = text({ max: 128 });
const sentence = text({ max: 2_000 });
const words = listOf(word, { max: 10_000 });
const jsonSchema = anyObject();
export const CLASSES = ['public', 'personal', 'sensitive'] as const;

export class TypeQuery extends ShortListQuery {
  @Field(text({ min: 1, max: 64 }), { description: 'Only those of this area.', example: 'sales', optional: true })
  area?: string;
}

export class DiscoveredType {
  @Field(word, { description: 'Type key, `object` in answers.', example: 'sales.deal' })
  object!: string;

  @Field(word, { description: 'What one is called.', example: 'deal' })
  noun!: string;

  @Field(word, { description: 'Area.', example: 'sales' })
  area!: string;

  @Field(oneOf(['record', 'object']), {
    description: 'A record of the business, or an object that administrators keep.',
    example: 'record',
  })
  kind!: string;

  @Field(text({ max: 200 }), { description: 'Path of the collection.', example: '/api/v1/sales/deals' })
  path!: string;

  @Field(word, { description: 'Permission to read; null for objects: see the operations.', nullable: true })
  readPermission!: string | null;

  @Field(word, { description: 'Permission to create and edit; null for objects: see the operations.', nullable: true })
  writePermission!: string | null;

  @Field(text({ max: 200 }), { description: 'Everything about it.', example: '/api/discovery/types/sales.deal' })
  self!: string;
}

export class TypeList {
  @Field(listOf(nested(DiscoveredType), { max: 10_000 }), { description: 'The types, by key.' })
  data!: DiscoveredType[];

  @Field(nested(PageInfo), { description: 'How to go on.' })
  page!: PageInfo;
}

export class DiscoveredField {
  @Field(word, { description: 'Name of the field.', example: 'closeDate' })
  name!: string;

  @Field(sentence, { description: 'Its meaning.', example: 'Day on which it is expected to close.' })
  about!: string;

  @Field(word, {
    description:
      'Type: `text`, `integer`, `number`, `boolean`, `date`, `datetime`, `id`, `select`, `list` or `object`.',
    example: 'date',
  })
  type!: string;

  @Field(jsonSchema, { description: 'JSON Schema of its values.', example: { type: 'string', format: 'date' } })
  schema!: object;

  @Field(oneOf(CLASSES), { description: 'What it says about people.', example: 'public' })
  class!: (typeof CLASSES)[number];

  @Field(flag(), { description: 'Whether answers have it.', example: true })
  readable!: boolean;

  @Field(flag(), { description: 'Whether new records need it.', example: false })
  required!: boolean;

  @Field(flag(), { description: 'Whether it can be set when one is made.', example: true })
  creatable!: boolean;

  @Field(flag(), { description: 'Whether a PATCH can change it.', example: true })
  editable!: boolean;

  @Field(flag(), { description: 'Whether it can be null.', example: true })
  canBeNull!: boolean;

  @Field(flag(), { description: 'Whether no two records can have the same.', example: false })
  unique!: boolean;

  @Field(flag(), { description: 'Whether lists can be filtered by it.', example: true })
  filterable!: boolean;

  @Field(words, {
    description: 'Operators of the filter; `eq` is the parameter without brackets.',
    example: ['eq', 'gte'],
  })
  operators!: string[];

  @Field(flag(), { description: 'Whether lists can be sorted by it.', example: true })
  sortable!: boolean;

  @Field(word, { description: 'Permission without which it is neither shown nor set.', nullable: true })
  permission!: string | null;
}

export class DiscoveredFilter {
  @Field(word, { description: 'Name of the parameter.', example: 'tag' })
  name!: string;

  @Field(words, { description: 'Its operators.', example: ['eq', 'in'] })
  operators!: string[];
}

export class DiscoveredRelation {
  @Field(word, { description: 'Field that names it.', example: 'accountId' })
  field!: string;

  @Field(word, { description: 'Type that is named; null for what is no type here, such as members.', nullable: true })
  object!: string | null;

  @Field(flag(), { description: 'Whether the field has several ids.', example: false })
  many!: boolean;
}

export class IncomingRelation extends DiscoveredRelation {
  @Field(word, { description: 'Type whose field names records of this type.', example: 'finance.invoice' })
  declare object: string;
}

export class DiscoveredTransition {
  @Field(word, { description: 'Action.', example: 'win' })
  action!: string;

  @Field(text({ max: 500 }), { description: 'What it does.', example: 'Win a deal' })
  summary!: string;

  @Field(words, { description: 'States in which it can be taken.', example: ['open'] })
  from!: string[];

  @Field(word, { description: 'State afterwards; null if it stays.', nullable: true, example: 'won' })
  to!: string | null;

  @Field(word, { description: 'Permission that it takes.', example: 'deals:close' })
  permission!: string;

  @Field(word, { description: 'Operation; null for what only the platform does.', nullable: true })
  operation!: string | null;

  @Field(word, { description: 'Event afterwards.', example: 'sales.deal.won' })
  event!: string;

  @Field(word, { description: 'Gate in front of it.', nullable: true, example: 'deal.win' })
  gate!: string | null;

  @Field(flag(), { description: 'Whether you have the permission, for some records at least.', example: true })
  allowed!: boolean;
}

export class DiagramEdge {
  @Field(word, { description: 'State before.', example: 'open' })
  from!: string;

  @Field(word, { description: 'State afterwards.', example: 'won' })
  to!: string;

  @Field(word, { description: 'Action.', example: 'win' })
  action!: string;
}

export class StateDiagram {
  @Field(words, { description: 'States.', example: ['open', 'won', 'lost'] })
  nodes!: string[];

  @Field(listOf(nested(DiagramEdge), { max: 10_000 }), { description: 'Moves between them.' })
  edges!: DiagramEdge[];

  @Field(text({ max: 100_000 }), {
    description: 'The same as a Mermaid state diagram.',
    example: 'stateDiagram-v2\n  [*] --> open\n  open --> won: win',
  })
  mermaid!: string;
}

export class DiscoveredStates {
  @Field(word, { description: 'Field with the state; null where none shows it.', nullable: true, example: 'status' })
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

  @Field(sentence, { description: 'Occasion.', example: 'A deal was won.' })
  about!: string;
}

export class DiscoveredCustomField {
  @Field(word, { description: 'Key in `customFields`.', example: 'region' })
  key!: string;

  @Field(text({ max: 200 }), { description: 'Label.', example: 'Region' })
  label!: string;

  @Field(oneOf(CUSTOM_FIELD_TYPES), { description: 'Type.', example: 'select' })
  type!: string;

  @Field(flag(), { description: 'Whether new records need it.', example: false })
  required!: boolean;

  @Field(jsonSchema, { description: 'JSON Schema of its values.', example: { type: 'string', enum: ['EMEA', 'APAC'] } })
  schema!: object;

  @Field(word, { description: 'Type of the records that a reference names.', nullable: true })
  target!: string | null;
}

export class TypeDetail extends DiscoveredType {
  @Field(listOf(nested(DiscoveredField), { max: 1_000 }), { description: 'Its fields.' })
  fields!: DiscoveredField[];

  @Field(listOf(nested(DiscoveredFilter), { max: 1_000 }), {
    description: 'Filters of lists that are not by one field.',
  })
  filters!: DiscoveredFilter[];

  @Field(nested(DiscoveredStates), { description: 'Its life cycle; null for objects.', nullable: true })
  states!: DiscoveredStates | null;

  @Field(listOf(nested(DiscoveredEvent), { max: 1_000 }), { description: 'Its events.' })
  events!: DiscoveredEvent[];

  @Field(listOf(nested(DiscoveredRelation), { max: 1_000 }), { description: 'What its records name.' })
  relations!: DiscoveredRelation[];

  @Field(listOf(nested(IncomingRelation), { max: 1_000 }), { description: 'What names its records.' })
  namedBy!: IncomingRelation[];

  @Field(listOf(nested(DiscoveredCustomField), { max: 1_000 }), { description: 'Custom fields of the tenant.' })
  customFields!: DiscoveredCustomField[];

  @Field(words, { description: 'Its operations.', example: ['sales.deals.create'] })
  operations!: string[];
}
