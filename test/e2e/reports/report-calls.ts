import type { Question } from '#src/areas/reports/query/question.js';
import type { ReportResult } from '#src/areas/reports/query/report.dto.js';
import type { Client } from '../../harness/client.js';

export const QUERY = '/api/reports/query';
export const REPORTS = '/api/v1/reports/reports';
export const RUNS = '/api/v1/reports/runs';

export type Asked = Pick<Question, 'recordType' | 'measures'> & Partial<Question>;
export type Item = Record<string, unknown> & { id: string };

/** Runs a report. @throws Error when the API rejects it. */
export async function ask(api: Client, question: Asked): Promise<ReportResult> {
  const answer = await api.post<ReportResult>(QUERY, question);
  if (answer.status !== 200) throw new Error(`${JSON.stringify(question)}: ${answer.text}`);
  return answer.body;
}

/** All items of a list that may have several pages. */
export async function itemsOf(api: Client, path: string): Promise<Item[]> {
  const found: Item[] = [];
  let cursor: string | null = null;
  do {
    const paging: string = `limit=100${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const answer = await api.get<{ data: Item[]; page: { nextCursor: string | null } }>(
      `${path}${path.includes('?') ? '&' : '?'}${paging}`,
    );
    if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
    found.push(...answer.body.data);
    cursor = answer.body.page.nextCursor;
  } while (cursor !== null);
  return found;
}

/** Status and `pointer code` of each fault. */
export function faults({ status, body }: { status: number; body: object }): { status: number; faults: string[] } {
  const { errors = [] } = body as { errors?: { pointer: string; code: string }[] };
  return { status, faults: errors.map(({ pointer, code }) => `${pointer} ${code}`) };
}
