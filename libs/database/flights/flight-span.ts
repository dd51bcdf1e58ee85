import { errorTypeOf, isTracing, type Span, startSpan } from '#libs/telemetry/tracing.js';
import { currentTraceparent } from '#libs/tenancy/scope.js';
import type { Statement } from '../statement.js';

const TABLE = '((?:data|directory|queue)\\.\\w+)';
const WRITE = new RegExp(`\\b(insert into|update|delete from) ${TABLE}`);
const READ = new RegExp(`\\bfrom ${TABLE}`);
/** Maximum length of a summary, as the semantic conventions recommend. */
const MAX_CHARS = 255;
const MAX_TEXTS = 1_000;
const summaries = new Map<string, string>();

/** Runs the statements of a round trip, as a span if the running request or job belongs to a trace. */
export function traced<T>(statements: readonly Statement[], work: () => Promise<T>): Promise<T> {
  const parent = isTracing() ? currentTraceparent() : null;
  return parent === null ? work() : withSpan(spanOf(statements, parent), work);
}

async function withSpan<T>(span: Span | null, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    span?.end();
    return result;
  } catch (error) {
    span?.end(errorTypeOf(error));
    throw error;
  }
}

function spanOf(statements: readonly Statement[], parent: string): Span | null {
  const summary = [...new Set(statements.map(({ text }) => summaryOf(text)))].filter((each) => each !== '').join(' ');
  const isBatch = statements.length > 1;
  return startSpan((summary || 'postgresql').slice(0, MAX_CHARS), {
    kind: 'client',
    parent,
    attributes: {
      'db.system.name': 'postgresql',
      ...(summary === '' ? {} : { 'db.query.summary': summary.slice(0, MAX_CHARS) }),
      ...(isBatch ? { 'db.operation.batch.size': statements.length } : {}),
    },
  });
}

/** Operation and table of a statement, such as `INSERT data.events`; empty if it has no table. */
function summaryOf(text: string): string {
  const known = summaries.get(text);
  if (known !== undefined) return known;
  const [, operation = 'select', written] = WRITE.exec(text) ?? [];
  const table = written ?? READ.exec(text)?.[1];
  const summary = table === undefined ? '' : `${operation.split(' ')[0]!.toUpperCase()} ${table}`;
  if (summaries.size < MAX_TEXTS) summaries.set(text, summary);
  return summary;
}
