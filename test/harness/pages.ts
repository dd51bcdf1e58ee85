import type { Answer, Client } from './client.js';

interface Page<T> {
  data: T[];
  page: { nextCursor: string | null };
}

/** The items of all pages of a list. Fails unless each page is answered with 200. */
export async function everyPage<T>(api: Client, path: string, headers: Record<string, string> = {}): Promise<T[]> {
  const found: T[] = [];
  const url = (cursor: string | null) =>
    `${path}${path.includes('?') ? '&' : '?'}limit=200${cursor === null ? '' : `&cursor=${cursor}`}`;
  let cursor: string | null = null;
  do {
    const answer: Answer<Page<T>> = await api.get(url(cursor), headers);
    if (answer.status !== 200) throw new Error(answer.text);
    found.push(...answer.body.data);
    cursor = answer.body.page.nextCursor;
  } while (cursor !== null);
  return found;
}
