import { resultsOf } from '#libs/http/accepted.js';
import { etagOf } from '#libs/http/answer-headers.js';
import { notWith, Problem } from '#libs/kernel/problem.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { Parked } from '../gates/gates.js';
import type { RecordView } from '../types/record.dto.js';
import type { Records } from '../records/records.js';
import { sent } from '../records/sent.js';

type Service = Pick<Records, 'create' | 'update' | 'remove' | 'unit' | 'translate'>;
type Input = Record<string, unknown>;

interface Result {
  id: string | null;
  ok: boolean;
  record: unknown;
  problem: unknown;
  approval: unknown;
}

/** POST on the collection path with `items`: a new record for each. */
export async function createMany(service: Service, items: readonly Input[]): Promise<unknown> {
  return each(items, service, (item) => [null, () => service.create(sent(item))], resultsOf);
}

/** PATCH on the collection path: `{ id, ...patch }` or `{ items: [{ id, version?, ...patch }] }`. */
export async function updateMany(service: Service, body: Input): Promise<unknown> {
  const { id, items, ...patch } = body;
  const alone = exactlyOne({ id, items }, 'pointer');
  if (alone === 'id') return service.update(String(id), patch);
  if (Object.keys(patch).length > 0)
    throw Problem.validation(
      Object.keys(patch).map((member) => ({
        pointer: `/${member}`,
        ...notWith('items', 'With items the patches stand inside the items.'),
      })),
    );
  return each(items as Input[], service, ({ id: itemId, version, ...itemPatch }) => [
    String(itemId),
    () => ifVersion(version as number | undefined, () => service.update(String(itemId), itemPatch)),
  ]);
}

/** The `version` of an item replaces the request's `If-Match`. */
async function ifVersion<T>(version: number | undefined, run: () => Promise<T>): Promise<T> {
  if (version === undefined) return run();
  const scope = currentScope();
  const { ifMatch } = scope;
  scope.ifMatch = etagOf(version);
  try {
    return await run();
  } finally {
    scope.ifMatch = ifMatch;
  }
}

/** DELETE on the collection path: `?id=` or `?ids=a,b`. */
export async function removeMany(service: Service, query: Input): Promise<unknown> {
  if (exactlyOne(query, 'parameter') === 'id') return service.remove(String(query['id']));
  return each(query['ids'] as string[], service, (id) => [id, () => service.remove(id)]);
}

/**
 * Runs one operation per item in one transaction, each in a savepoint. A refusal undoes only its item. All other items
 * are committed together with their audit entries, events and the stored response of the idempotency key.
 * @param plan the id of the record, null for a new one, and what is done with it
 */
async function each<T>(
  items: readonly T[],
  service: Service,
  plan: (item: T) => [id: string | null, run: () => Promise<unknown>],
  answerOf: (results: Result[]) => { results: Result[] } = (results) => ({ results }),
): Promise<{ results: Result[] }> {
  return service.unit(async (transaction) => {
    const results: Result[] = [];
    for (const item of items) {
      const [id, run] = plan(item);
      try {
        const outcome = await transaction.savepoint(run);
        const { record, approval } = outcome instanceof Parked ? outcome : { record: outcome, approval: null };
        results.push({ id: id ?? (record as RecordView).id, ok: approval === null, record, problem: null, approval });
      } catch (thrown) {
        const error = service.translate(thrown);
        if (!(error instanceof Problem) || error.status >= 500) throw error;
        results.push({
          id,
          ok: false,
          record: null,
          problem: error.toDocument(currentScope().requestId),
          approval: null,
        });
      }
    }
    return answerOf(results); // as it is stored under the key
  });
}

function exactlyOne(values: Input, place: 'pointer' | 'parameter'): 'id' | 'many' {
  const many = values['items'] ?? values['ids'];
  const given = [values['id'], many].filter((value) => value !== undefined).length;
  if (given === 1) return values['id'] === undefined ? 'many' : 'id';
  const name = 'items' in values ? 'items' : 'ids';
  throw Problem.validation([
    {
      [place]: place === 'pointer' ? '/id' : 'id',
      code: given === 0 ? 'required' : 'ambiguous',
      detail: `Give either id or ${name}.`,
    },
  ]);
}
