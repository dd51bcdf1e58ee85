import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { EventCatalogue } from './event-catalogue.js';
import { wireBody } from './event.js';
import { MAX_BODY_BYTES, type PayloadForm, renderBody, type StoredEvent } from './event-body.js';
import { ENVELOPE_SCHEMA, eventExample, eventSchema } from './event-schema.js';

const TYPE = 'test.deal.updated';
const base = {
  type: TYPE,
  description: 'Fields of a deal changed.',
  subjectType: 'test.deal',
  exampleUrl: '/api/v1/test/deals/019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
  exampleSubjectId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
};
const record = (properties: object) => ({ type: 'object', properties, required: Object.keys(properties) });

const events = new EventCatalogue();
events.add({
  ...base,
  version: 1,
  data: { ...record({ name: { type: 'string' }, status: { type: 'string' } }), additionalProperties: false },
  example: { name: 'Acme', status: 'open' },
  deprecatedAt: '2026-11-01T00:00:00.000Z',
});
events.add({
  ...base,
  version: 2,
  data: record({ name: { type: 'string' }, state: record({ key: { type: 'string' } }) }),
  example: { name: 'Acme', state: { key: 'open', since: null } },
  downgrade: ({ name, state }) => ({ name, status: (state as { key: string }).key }),
});

const SUBJECT = {
  type: 'test.deal',
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
  reference: 'A","data":{"x":1}',
  version: 4,
  url: '/api/v1/test/deals/019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
};
const HEAD = {
  id: '019aa5f4-9a60-7d02-9b5e-2f6f0f6a7c11',
  type: TYPE,
  schemaVersion: 2,
  occurredAt: '2026-11-21T09:15:02.114Z',
  tenantId: '019aa5f0-0000-7000-8000-000000000001',
  actor: { type: 'api_key', id: null, name: ',"data":null,\\"schemaVersion":7' },
  subject: SUBJECT,
  requestId: 'req_7f1d0a52c4',
};
const DATA = { name: 'Ünïcode "quoted" 😀', state: { key: 'won', since: '2026-11-21' }, 7: 1.5 };
const CHANGES = { state: { from: { key: 'open', since: null }, to: DATA.state }, 7: { from: null, to: 1.5 } };

function stored(data: object = DATA, changes: object | null = CHANGES): StoredEvent {
  return { type: TYPE, schemaVersion: 2, whole: wholeOf(JSON.stringify({ ...HEAD, data, changes })) };
}

function wholeOf(envelope: string): Buffer {
  return Buffer.from(wireBody(envelope, '42'));
}

function render(event: StoredEvent, form: PayloadForm): { body: string; schemaVersion: number } {
  const { body, schemaVersion } = renderBody(events, event, form);
  return { body: body.toString(), schemaVersion };
}

const full = (version: number) => ({ mode: 'full' as const, version });
const thin = (version: number) => ({ mode: 'thin' as const, version });
const parsed = (event: StoredEvent, form: PayloadForm) =>
  JSON.parse(render(event, form).body) as Record<string, unknown>;

describe('a full body', () => {
  it('in the stored version is the stored text with its sequence', () => {
    const event = stored();
    const rendered = render(event, full(2));
    const text = JSON.stringify({ ...HEAD, data: DATA, changes: CHANGES });
    expect(rendered).toEqual({ body: `{"sequence":"42",${text.slice(1)}`, schemaVersion: 2 });
    expect(render(event, full(9))).toEqual(rendered);
  });

  it('is not even parsed then', () => {
    const event = { ...stored(), whole: wholeOf('{no JSON') };
    expect(render(event, full(2)).body).toBe('{"sequence":"42",no JSON');
  });

  it('in an earlier version has the data and the changes of that version', () => {
    expect(render(stored(), full(1)).schemaVersion).toBe(1);
    expect(parsed(stored(), full(1))).toEqual({
      sequence: '42',
      ...HEAD,
      schemaVersion: 1,
      data: { name: DATA.name, status: 'won' },
      changes: { status: { from: 'open', to: 'won' } },
    });
  });

  it('of a new subject has no changes in an earlier version either', () => {
    expect(parsed(stored(DATA, null), full(1))).toMatchObject({ data: { status: 'won' }, changes: null });
  });

  it('of an event that was stored before the wanted version goes as it was stored', () => {
    const data = { name: 'Acme', status: 'open' };
    const text = JSON.stringify({ ...HEAD, data, changes: CHANGES });
    expect(render({ ...stored(data), schemaVersion: 1 }, full(2))).toEqual({
      body: `{"sequence":"42",${text.slice(1)}`,
      schemaVersion: 1,
    });
  });
});

describe('a thin body', () => {
  it('has everything but the record and its changes', () => {
    expect(parsed(stored(), thin(2))).toEqual({ sequence: '42', ...HEAD, data: { thin: true }, changes: null });
  });

  it('is told from the record wherever the record has a member of that name itself', () => {
    const body = render(stored({ ...DATA, data: { data: 1 } }), thin(2)).body;
    expect(body).toBe(render(stored(), thin(2)).body);
  });

  it('says the version that the receiver keeps to', () => {
    const rendered = render(stored(), thin(1));
    expect(rendered.schemaVersion).toBe(1);
    expect(JSON.parse(rendered.body)).toMatchObject({ schemaVersion: 1, data: { thin: true } });
  });

  it('is short, however large the event is', () => {
    const body = render(stored({ ...DATA, name: 'x'.repeat(1_000_000) }), thin(2)).body;
    expect(JSON.parse(body)).toMatchObject({ data: { thin: true } });
    expect(body).toBe(render(stored(), thin(2)).body);
  });
});

describe('a body that would be too large', () => {
  /** An event whose full body has the given size, filled up with the character `filling`. */
  function ofBytes(bytes: number, filling: string): StoredEvent {
    const size = Buffer.byteLength(filling);
    const rest = bytes - Buffer.byteLength(render(stored({ ...DATA, name: '' }), full(2)).body);
    return stored({ ...DATA, name: filling.repeat(Math.floor(rest / size)) + 'x'.repeat(rest % size) });
  }

  it.each(['x', 'é', '本', '😀'])('goes without its record, in bytes of UTF-8 (%s)', (filling) => {
    const largest = ofBytes(MAX_BODY_BYTES, filling);
    const body = render(largest, full(2)).body;
    expect(Buffer.byteLength(body)).toBe(262_144);
    expect(body).toBe(largest.whole.toString());

    expect(parsed(ofBytes(MAX_BODY_BYTES + 1, filling), full(2))).toEqual({
      sequence: '42',
      ...HEAD,
      data: { thin: true, truncated: true },
      changes: null,
    });
  });

  it('is judged in the version in which it is sent', () => {
    const event = stored({ ...DATA, notes: 'x'.repeat(MAX_BODY_BYTES) });
    expect(parsed(event, full(2))).toMatchObject({ data: { truncated: true } });
    expect(parsed(event, full(1))).toMatchObject({ data: { status: 'won' } });
  });

  it('is not called too large when nobody wanted its record', () => {
    expect(parsed(ofBytes(MAX_BODY_BYTES + 1, 'x'), thin(2))['data']).toEqual({ thin: true });
  });
});

describe('the published schemas', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  const large = stored({ ...DATA, name: 'x'.repeat(MAX_BODY_BYTES) });

  it.each([1, 2])('of version %d hold for whatever is sent in it', (version) => {
    const holds = ajv.compile(eventSchema(events.find(TYPE, version)!));
    for (const event of [stored(), stored(DATA, null), large])
      for (const form of [full(version), thin(version)]) {
        const body = parsed(event, form);
        expect([holds(body), holds.errors]).toEqual([true, null]);
        expect(ajv.validate(ENVELOPE_SCHEMA, body)).toBe(true);
      }
    expect(holds(eventExample(events.find(TYPE, version)!))).toBe(true);
    expect(holds(parsed(stored(), full(3 - version)))).toBe(false);
  });

  it('say which version is deprecated', () => {
    expect(events.all().map((event) => eventSchema(event)['deprecated'])).toEqual([true, undefined]);
  });
});
