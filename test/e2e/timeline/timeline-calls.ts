import type { Client } from '../../harness/client.js';
import { makeDeal } from '../sales/deal-calls.js';

/** A page of a list. */
export interface Page<T> {
  data: T[];
  page: { hasMore: boolean; nextCursor: string | null };
}

/** Creates a deal and returns its path. */
export async function dealPath(api: Client, name = 'a deal'): Promise<string> {
  return `/api/v1/sales/deals/${(await makeDeal(api, { name })).id}`;
}

/** The record created by a POST that must succeed. @throws Error when the API rejects it. */
export async function added<T = Record<string, unknown>>(api: Client, path: string, body?: object): Promise<T> {
  const answer = await api.post<T>(path, body);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

/** A whole list, page by page. */
export async function walk<T>(api: Client, path: string, limit: number): Promise<T[]> {
  const found: T[] = [];
  for (let cursor: string | null = '', pages = 0; cursor !== null && pages < 50; pages++) {
    const query: string = `?limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const { body } = await api.get<Page<T>>(path + query);
    found.push(...body.data);
    cursor = body.page.nextCursor;
  }
  return found;
}

export const idOf = (path: string): string => path.split('/').at(-1)!;
