import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import type { PlatformEvent } from '../../receiver/events.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { eventExample } from '#libs/outbox/event-schema.js';
import { startPlatform } from '../harness/platform.js';
import { told } from './event-reader.js';

const platform = await startPlatform();
afterAll(() => platform.close());

const events = platform.app.get(EventCatalogue).all();
const EXAMPLES = events.map((event) => [event.type, eventExample(event) as { type: string }] as const);
const exampleOf = (wanted: string) => {
  const event = events.find(({ type, version }) => type === wanted && version === 1)!;
  return eventExample(event) as Record<string, unknown> & { type: string };
};

/** A file in the folder of the types, as in a receiver's project. */
const PATH = fileURLToPath(new URL('../../receiver/receiver.ts', import.meta.url));
const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  skipDefaultLibCheck: true,
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  types: [],
  noEmit: true,
};

/** Options shared by all programs. */
const parsed = new Map<string, ts.SourceFile>();

/** TypeScript errors in the types and in a file that uses them. */
function faultsOf(source: string): string[] {
  const host = ts.createCompilerHost(OPTIONS);
  const text = `import type { PlatformEvent } from './events.js';\n${source}`;
  const { getSourceFile, fileExists } = host;
  host.fileExists = (path) => path === PATH || fileExists(path);
  host.getSourceFile = (path, languageVersion) => {
    if (path === PATH) return ts.createSourceFile(path, text, languageVersion);
    const file = parsed.get(path) ?? getSourceFile(path, languageVersion);
    if (file) parsed.set(path, file);
    return file;
  };
  const program = ts.createProgram([PATH], OPTIONS, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

const declarations = (examples: readonly (readonly [string, { type: string }])[]): string =>
  examples
    .map(
      ([, event], i) =>
        `const event${i}: Extract<PlatformEvent, { type: '${event.type}' }> = ${JSON.stringify(event)};`,
    )
    .join('\n');

it('every event has a type that its example matches', () => {
  expect(EXAMPLES.length).toBeGreaterThan(100);
  expect(faultsOf(declarations(EXAMPLES))).toEqual([]);
});

describe('invalid events', () => {
  const won = exampleOf('sales.deal.won');
  const { data, subject } = won as unknown as { data: object; subject: object }; // present in every event

  it.each([
    ['of an unknown type', { ...won, type: 'sales.deal.exploded' }],
    ['in another version', { ...won, schemaVersion: 2 }],
    ['with another kind of value', { ...won, data: { ...data, value: 'much' } }],
    ['with an unknown state', { ...won, data: { ...data, status: 'exploded' } }],
    ['without a subject', { ...won, subject: undefined }],
    ['without a part of it', { ...won, subject: { ...subject, url: undefined } }],
    ['with the data of another type', { ...won, data: exampleOf('webhook.ping')['data'] }],
  ])('are rejected: %s', (_, event) => {
    expect(faultsOf(declarations([['', event]]))).not.toEqual([]);
  });
});

describe('a receiver that checks the type', () => {
  const inCase = (expression: string) =>
    faultsOf(`export const f = (event: PlatformEvent) =>
      event.type === 'sales.deal.won' && !('thin' in event.data) ? ${expression} : null;`);

  it.each([
    'event.data.valueMinor',
    "event.data.status === 'won'",
    'event.data.stage.length',
    'event.changes?.["value"]',
  ])('finds %s', (expression) => {
    expect(inCase(expression)).toEqual([]);
  });

  it.each([
    'event.data.challenge',
    'event.data.thin',
    "event.data.status === 'exploded'",
    'event.data.lostReason.length',
  ])('does not find %s', (expression) => {
    expect(inCase(expression)).not.toEqual([]);
  });

  it('reads events correctly', () => {
    const read = (type: string, more: object = {}) => told({ ...exampleOf(type), ...more } as unknown as PlatformEvent); // see above
    expect(read('webhook.ping')).toBe('ping');
    expect(read('sales.deal.won')).toMatch(/^.+ is \w+: \d+ [A-Z]{3}$/);
    expect(read('sales.deal.won', { data: { thin: true } })).toMatch(/^sales.deal.won: see \/api\/v1\/sales\/deals\//);
    expect(read('core.role.updated')).toBe('core.role.updated, version 1');
  });
});
