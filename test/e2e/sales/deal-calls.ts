import type { ShownDeal } from '#src/areas/sales/deals/deal.js';
import type { ShownPipeline } from '#src/areas/sales/pipelines/pipeline.js';
import type { Client } from '../../harness/client.js';

export const DEALS = '/api/v1/sales/deals';
export const PIPELINES = '/api/v1/sales/pipelines';

/** A stage in a request body. */
export function stage(key: string, category: 'open' | 'won' | 'lost', more: object = {}): Record<string, unknown> {
  const probability = { open: 50, won: 100, lost: 0 }[category];
  return { key, name: key, category, probability, forecastCategory: 'pipeline', ...more };
}

/** Creates a deal. @throws Error when the API rejects it. */
export async function makeDeal(api: Client, body: object = {}): Promise<ShownDeal> {
  const answer = await api.post<ShownDeal>(DEALS, { name: 'a deal', ...body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

/** Creates a pipeline. @throws Error when the API rejects it. */
export async function makePipeline(api: Client, body: object = {}): Promise<ShownPipeline> {
  const answer = await api.post<ShownPipeline>(PIPELINES, { name: 'a pipeline', ...body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

/** Runs an action that must succeed. @throws Error when the API rejects it. */
export async function act(api: Client, id: string, action: string, body?: object): Promise<ShownDeal> {
  const answer = await api.post<ShownDeal>(`${DEALS}/${id}/${action}`, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
}
