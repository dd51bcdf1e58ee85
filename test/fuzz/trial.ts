import { isObject } from '#libs/kernel/is-object.js';
import type { Answer } from '../harness/client.js';
import type { TestTenant } from '../harness/platform.js';
import type { Call, Scene } from '../matrix/fixture-parts.js';
import { callOf, fixtureOf, FIXTURES } from '../matrix/fixtures.js';
import type { Operation } from '../matrix/operations.js';
import { subjectOf } from '../matrix/foreign-ids.js';
import { fromSomewhere, nextCursorOf, pageOfOne, type Running, sceneOf, urlOf } from '../matrix/running.js';
import { type Draft, staysHere, type Wire, wireOf } from './requests.js';
import { type Stored, storedReader } from './stored.js';
import { STAND_IN } from './values.js';

const SLOWEST_MS = 2_000;
/** Tables in which recorded reads leave their trace. */
const RECORDS = ['audit_log', 'evidence_bundles'];
/** Maximum length of a request shown in a failure. */
const SHOWN = 1_500;

/** A tenant whose requests are checked: whether the response is allowed, and what was written. */
export class Trial {
  /** Number of responses by status. */
  readonly statuses = new Map<number, number>();
  private before: Stored;

  private constructor(
    readonly scene: TestTenant & Scene,
    private readonly standIns: Record<string, string>,
    private readonly read: () => Promise<Stored>,
    before: Stored,
  ) {
    this.before = before;
  }

  /** Uses a separate tenant and a second one whose record it tries to reach. */
  static async start(platform: Running, operation: Operation): Promise<Trial> {
    const [own, other] = await Promise.all([platform.tenant(), platform.tenant()]);
    const scene = sceneOf(platform, own, 'fuzz');
    const foreign = subjectOf(await madeCall(operation, sceneOf(platform, other, 'other')));
    const pipelines = await own.api.get<{ data: { id: string }[] }>('/api/v1/sales/pipelines');
    const read = await storedReader(platform.admin);
    const standIns = {
      [STAND_IN.foreign]: foreign ?? STAND_IN.foreign,
      [STAND_IN.pipeline]: pipelines.body.data[0]!.id,
      [STAND_IN.cursor]: await cursorOf(operation, scene),
    };
    return new Trial(scene, standIns, () => read(own.id), await read(own.id));
  }

  /** A call that succeeds, with the records it needs. */
  async prepare(operation: Operation): Promise<Call> {
    const call = await madeCall(operation, this.scene);
    this.before = await this.read();
    return call;
  }

  /**
   * Sends one request. @throws Error with the request when a promise is broken. Null for a request that could reach
   * another machine.
   */
  async run(operation: Operation, call: Call, draft: Draft): Promise<Answer | null> {
    const standIns = { ...this.standIns, [STAND_IN.subject]: subjectOf(call) ?? STAND_IN.subject };
    const wire = wireOf(operation, call, draft, standIns);
    if (!staysHere(Buffer.from(wire.body ?? '').toString())) return null;
    try {
      const started = performance.now();
      const answer = await this.scene.api.send(wire.method, wire.path, wire.body, {
        ...(operation.open ? fromSomewhere() : {}),
        ...wire.headers,
      });
      const ms = performance.now() - started;
      this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
      if (ms > SLOWEST_MS) throw new Error(`The response took ${Math.round(ms)} ms.`);
      await this.judge(operation, answer);
      return answer;
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${shown(wire)}`, { cause: error });
    }
  }

  private async judge(operation: Operation, answer: Answer): Promise<void> {
    const { status } = answer;
    const after = await this.read();
    const changed = Object.keys(after.rows).filter((table) => after.rows[table] !== this.before.rows[table]);
    const audit = after.audit - this.before.audit;
    const events = after.events - this.before.events;
    this.before = after;
    if (status >= 500) throw new Error(`Answered ${status}: ${answer.text.slice(0, SHOWN)}`);
    if ('polluted' in {}) throw new Error('A request has changed Object.prototype.');
    // A 403 is audited, and so are recorded reads.
    const isRead = operation.method === 'GET';
    const once = operation.open ? undefined : fixtureOf(operation).once;
    const effects = effectsOf(operation);
    const onRecord = status === 403 ? 1 : isRead && status < 300 ? effects.audit : 0;
    const written = changed.filter((table) => onRecord === 0 || !RECORDS.includes(table));
    const replayed = answer.headers.get('idempotent-replayed') === 'true';
    const wrote = written.length > 0 || audit > onRecord;
    if (wrote && (status >= 400 || isRead || replayed))
      throw new Error(`Answered ${status}, yet ${written.join(', ')} changed.`);
    if (status >= 400 || isRead || replayed) return;
    // A request without effect writes neither audit rows nor events.
    if (written.length === 0 && (once || ['PATCH', 'PUT'].includes(operation.method))) return;
    const times = successesOf(answer);
    const least = operation.method === 'PATCH' ? Math.min(times, 1) : times;
    // More than one each is correct when another record changes too, such as the previous default pipeline.
    if (audit < effects.audit * least || audit - events !== (effects.audit - effects.events) * times)
      throw new Error(`Answered ${status} for ${times} records, yet wrote ${audit} audit rows and ${events} events.`);
  }
}

/** Audit rows and events of one success. */
function effectsOf(operation: Operation): { audit: number; events: number } {
  const usual = operation.method === 'GET' ? { audit: 0, events: 0 } : { audit: 1, events: 1 };
  return operation.open ? usual : (fixtureOf(operation).effects ?? usual);
}

/** A call that succeeds. Public operations may need nothing (health), or something that no fixture has. */
function madeCall(operation: Operation, scene: Scene): Promise<Call> {
  return operation.open && !(operation.id in FIXTURES) ? Promise.resolve({}) : callOf(operation, scene);
}

/** Number of records written according to a response: one, or the successful ones of several. */
function successesOf({ body }: Answer): number {
  const results = body['results'] ?? body['data'];
  if (!Array.isArray(results) || !results.every(isResult)) return 1;
  return results.filter(({ ok }) => ok).length;
}

function isResult(value: unknown): value is { ok: boolean } {
  return isObject(value) && typeof value['ok'] === 'boolean';
}

/** A cursor of the operation's own list, or the placeholder if there is none. */
async function cursorOf(operation: Operation, scene: Scene): Promise<string> {
  if (!operation.parameters.some(({ name }) => name === 'cursor')) return STAND_IN.cursor;
  await callOf(operation, scene);
  const call = await callOf(operation, scene);
  return (
    nextCursorOf(await scene.api.get(urlOf(operation, { ...call, query: pageOfOne(operation) }))) ?? STAND_IN.cursor
  );
}

function shown({ method, path, body, headers }: Wire): string {
  const text =
    body === undefined ? '' : typeof body === 'string' ? body : `base64 ${Buffer.from(body).toString('base64')}`;
  return `${method} ${path.slice(0, SHOWN)}\n${JSON.stringify(headers)}\n${text.length} characters: ${JSON.stringify(text.slice(0, SHOWN))}`;
}
