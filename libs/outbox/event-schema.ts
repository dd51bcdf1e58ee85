import { type EventType, type JsonSchema, statusOf } from './event-catalogue.js';

const DATA =
  'The subject as the API shows it; in thin events, and in those that would be larger than 256 KiB, that it is left out.';
const text = (description: string): JsonSchema => ({ type: 'string', description });
const id = (description: string): JsonSchema => ({ type: 'string', format: 'uuid', description });

/** Schema of `ThinData`, which replaces an omitted record. */
export const THIN_DATA_SCHEMA = {
  title: 'Thin event data',
  description: 'Stands for the record in an event that leaves it out. Get the record at `subject.url`.',
  type: 'object',
  properties: {
    thin: { type: 'boolean', const: true, description: 'Says that the record is left out.' },
    truncated: {
      type: 'boolean',
      const: true,
      description: 'Present if it is left out only because the event would have been larger than 256 KiB.',
    },
  },
  required: ['thin'],
  additionalProperties: false,
} as const satisfies JsonSchema;

/** The members that all events have, regardless of type. */
export const ENVELOPE_SCHEMA = {
  title: 'Event',
  description: 'An event as receivers get it, whatever its type.',
  type: 'object',
  properties: {
    sequence: { type: 'string', pattern: '^[0-9]+$', description: 'Per tenant, without gaps, in order.' },
    id: id('Id of the event; the same on every retry and replay.'),
    type: text('Event type.'),
    schemaVersion: { type: 'integer', description: 'Version of this schema.' },
    occurredAt: { type: 'string', format: 'date-time', description: 'Time at which the change was committed.' },
    tenantId: id('The tenant.'),
    actor: {
      type: 'object',
      description: 'Author of the change.',
      properties: {
        type: text('Kind of principal.'),
        id: { type: ['string', 'null'], description: 'Its id.' },
        name: text('Its name at that time.'),
      },
      required: ['type', 'id', 'name'],
    },
    subject: {
      type: 'object',
      description: 'Record that the event is about.',
      properties: {
        type: text('Type of the subject.'),
        id: text('Its id.'),
        reference: { type: ['string', 'null'], description: 'Its reference.' },
        version: { type: 'integer', description: 'Its version after the change.' },
        url: text('Path in the API where it can be read.'),
      },
      required: ['type', 'id', 'reference', 'version', 'url'],
    },
    requestId: text('Id of the request that made the change.'),
    data: { type: 'object', description: DATA },
    changes: {
      type: ['object', 'null'],
      description: 'From and to of each field that changed; null for a new subject, and where the record is left out.',
      additionalProperties: {
        type: 'object',
        properties: { from: {}, to: {} },
        required: ['from', 'to'],
      },
    },
  },
  required: [
    'sequence',
    'id',
    'type',
    'schemaVersion',
    'occurredAt',
    'tenantId',
    'actor',
    'subject',
    'requestId',
    'data',
    'changes',
  ],
  additionalProperties: true,
} as const satisfies JsonSchema;

/** JSON Schema (2020-12) of a complete event as receivers get it. */
export function eventSchema(event: EventType): JsonSchema {
  const { properties, required } = ENVELOPE_SCHEMA;
  const { subjectType, ...own } = ownProperties(event, THIN_DATA_SCHEMA);
  const subject = { ...properties.subject, properties: { ...properties.subject.properties, type: subjectType } };
  return { ...headOf(event), type: 'object', properties: { ...properties, ...own, subject }, required };
}

/**
 * Like {@link eventSchema}, but refers to {@link ENVELOPE_SCHEMA} and {@link THIN_DATA_SCHEMA} as components and
 * contains only what the type adds.
 */
export function eventSchemaOn(references: { envelope: string; thinData: string }, event: EventType) {
  const { type, version, data } = event;
  const properties = {
    type: { const: type },
    schemaVersion: { const: version },
    data: dataSchema(data, { $ref: references.thinData }),
  };
  return { allOf: [{ $ref: references.envelope }], properties };
}

function headOf(event: EventType): JsonSchema {
  const { type, version, description } = event;
  return {
    title: `${type} v${version}`,
    description,
    ...(statusOf(event) === 'deprecated' ? { deprecated: true } : {}),
  };
}

function ownProperties({ type, version, data, subjectType }: EventType, thinData: JsonSchema) {
  return {
    type: { type: 'string', const: type, description: 'Event type.' },
    schemaVersion: { type: 'integer', const: version, description: 'Version of this schema.' },
    subjectType: { type: 'string', const: subjectType, description: 'Type of the subject.' },
    data: dataSchema(data, thinData),
  };
}

function dataSchema(data: JsonSchema, thinData: JsonSchema): JsonSchema {
  return { description: DATA, anyOf: [data, thinData] };
}

/** An example event that matches {@link eventSchema}. */
export function eventExample(event: EventType): Record<string, unknown> {
  const { type, version, example, subjectType, exampleUrl, exampleSubjectId } = event;
  return {
    sequence: '42',
    id: '019aa5f4-9a60-7d02-9b5e-2f6f0f6a7c11',
    type,
    schemaVersion: version,
    occurredAt: '2026-11-21T09:15:02.114Z',
    tenantId: '019aa5f0-0000-7000-8000-000000000001',
    actor: { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Website' },
    subject: {
      type: subjectType,
      id: exampleSubjectId ?? example['id'],
      reference: example['reference'] ?? null,
      version: example['version'] ?? 1,
      url: exampleUrl,
    },
    requestId: 'req_7f1d0a52c4',
    data: example,
    changes: null,
  };
}
