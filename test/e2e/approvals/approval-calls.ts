import type { ApprovalView } from '#libs/resource/gates/approval.js';
import type { ShownDeal } from '#src/areas/sales/deals/deal.js';
import type { Answer, Client } from '../../harness/client.js';
import { replaceGates } from '../../harness/gates.js';
import type { TestTenant } from '../../harness/platform.js';

export const DEALS = '/api/v1/sales/deals';
export const APPROVALS = '/api/home/approvals';

/** A deal that waits for approval, as in the 202 response. */
export interface Waiting {
  approval: ApprovalView;
  record: ShownDeal;
}

/** Sets the tenant's only gate: winning a deal needs approval, unless `more` overrides it. */
export function setGate({ api }: TestTenant, more: object = {}): Promise<void> {
  return replaceGates(api, [{ key: 'deal.win', effect: 'require_approval', ...more }]);
}

export async function makeDeal(api: Client, body: object = {}): Promise<ShownDeal> {
  const answer = await api.post<ShownDeal>(DEALS, { name: 'Acme renewal', ...body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

export function win(api: Client, id: string, body?: object): Promise<Answer<Waiting>> {
  return api.post<Waiting>(`${DEALS}/${id}/win`, body);
}

/** A new deal whose winning waits for approval. */
export async function park(api: Client, body: object = {}): Promise<Waiting> {
  const deal = await makeDeal(api, body);
  const answer = await win(api, deal.id);
  if (answer.status !== 202) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body;
}

export function decide(
  api: Client,
  { approval }: Pick<Waiting, 'approval'>,
  action: 'approve' | 'reject' | 'cancel',
  body?: object,
): Promise<Answer<ApprovalView & { code: string }>> {
  return api.post(
    `${APPROVALS}/${approval.id}/${action}`,
    body ?? (action === 'reject' ? { reason: 'No' } : undefined),
  );
}

export async function dealOf(api: Client, { record }: Waiting): Promise<ShownDeal> {
  return (await api.get<ShownDeal>(`${DEALS}/${record.id}`)).body;
}

export async function approvalOf(api: Client, { approval }: Waiting): Promise<ApprovalView> {
  return (await api.get<ApprovalView>(`${APPROVALS}/${approval.id}`)).body;
}
