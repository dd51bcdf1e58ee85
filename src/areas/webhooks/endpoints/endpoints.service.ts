import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { actionsFrom, invalidTransition } from '#libs/kernel/lifecycle.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Deleted } from '#libs/resource/types/record.dto.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { skipBacklog } from '#libs/webhooks/lanes/endpoint-backlog.js';
import { EndpointSecrets } from '#libs/webhooks/lanes/endpoint-secrets.js';
import { lineUp } from '#libs/webhooks/leases/ordering.js';
import { generateSecret } from '#libs/webhooks/sending/signature.js';
import { EndpointInputs } from './endpoint-inputs.js';
import { endpointLimit } from './endpoint-limits.js';
import { EndpointRecords } from './endpoint-records.js';
import type { Endpoint, ShownEndpoint } from './endpoint.js';
import { type EndpointAction, endpointLifecycle } from './endpoint.lifecycle.js';
import type { EndpointPatch, NewEndpoint } from './endpoint.requests.js';
import { EndpointsRepository } from './endpoints.repository.js';

/** Webhook endpoints: where events of the tenant are sent. */
@Injectable()
export class EndpointsService {
  private readonly mustVerify: boolean;

  constructor(
    private readonly repository: EndpointsRepository,
    private readonly records: EndpointRecords,
    private readonly inputs: EndpointInputs,
    private readonly secrets: EndpointSecrets,
    @Inject(SETTINGS_TOKEN) settings: Pick<Settings, 'WEBHOOK_REQUIRE_VERIFICATION'>,
  ) {
    this.mustVerify = settings.WEBHOOK_REQUIRE_VERIFICATION;
  }

  list(query: object): Promise<Page<ShownEndpoint>> {
    return this.records.objects.list(query);
  }

  get(id: string): Promise<ShownEndpoint> {
    return this.records.objects.get(id);
  }

  /** The row of an endpoint. @throws Problem 404, also if the endpoint is deleted. */
  find(id: string): Promise<Endpoint> {
    return this.records.find(id);
  }

  /**
   * Creates an endpoint; only this response shows its secret.
   * @throws Problem 400 for url, event types and versions, 409 `plan_limit_reached`.
   */
  async create(input: NewEndpoint): Promise<ShownEndpoint & { secret: string }> {
    await this.inputs.check(input);
    const id = uuidv7();
    const secret = generateSecret();
    const row = await this.newRow(id, secret, input);
    return this.records.objects.unit(async (transaction) => {
      const { plan } = currentTenant();
      const limit = endpointLimit(plan);
      if ((await this.repository.count(transaction)) >= limit)
        throw new Problem('plan_limit_reached', `The plan ${plan} has at most ${limit} webhook endpoints.`, {
          extensions: { plan, limit },
        });
      return { ...this.records.add(transaction, row), secret };
    });
  }

  /** Applies a merge patch. A patch that changes nothing keeps the version and emits nothing. */
  async update(id: string, patch: EndpointPatch): Promise<ShownEndpoint> {
    await this.inputs.check(patch);
    return this.records.objects.unit(async (transaction) => {
      const row = await this.records.lock(transaction, id);
      const content = await this.inputs.changesOf(row, patch);
      if (Object.keys(content).length === 0) return this.records.objects.show(row);
      const changes = { ...content, ...this.verificationAfter(row, content) };
      transaction.write(this.repository.limitLane({ ...row, ...changes }));
      if (changes.ordering === 'per_resource') transaction.write(lineUp(row.tenantId, id));
      const concealed = 'headersSealed' in changes ? ['customHeaders'] : [];
      return this.records.change(transaction, row, changes, 'updated', { concealed });
    });
  }

  /** Deletes an endpoint; its pending deliveries are skipped. */
  async remove(id: string): Promise<Deleted> {
    return this.records.objects.unit(async (transaction) => {
      const row = await this.records.lock(transaction, id);
      const deletedAt = this.records.objects.now();
      await this.records.change(transaction, row, { deletedAt }, 'deleted');
      skipBacklog(row.tenantId, id).forEach((move) => transaction.write(move));
      return this.records.objects.deleted(id, deletedAt);
    });
  }

  /** Enables, disables or pauses. @throws Problem 409 `invalid_transition`, `blocked` before it is verified. */
  async act(id: string, action: EndpointAction): Promise<ShownEndpoint> {
    return this.records.objects.unit(async (transaction) => {
      const row = await this.records.lock(transaction, id);
      const actions = actionsFrom(endpointLifecycle, row.status);
      if (!actions.includes(action)) throw invalidTransition(action, { state: row.status }, actions);
      if (action === 'enable' && this.mustVerify && row.verifiedAt === null)
        throw new Problem('blocked', `The endpoint has to be verified first: POST ${id}/verify.`);
      return this.records.transit(transaction, row, action, action === 'disable' ? 'requested' : null);
    });
  }

  private async newRow(id: string, secret: string, input: NewEndpoint) {
    const { actor } = currentScope();
    return {
      id,
      ...(await this.inputs.contentOf(id, input)),
      status: this.mustVerify ? ('disabled' as const) : endpointLifecycle.initial,
      disabledReason: this.mustVerify ? ('unverified' as const) : null,
      verifiedAt: null,
      secretSealed: await this.secrets.seal(secret, id),
      previousSecretSealed: null,
      previousSecretExpiresAt: null,
      createdBy: actor,
      updatedBy: actor,
      deletedAt: null,
    };
  }

  /** A verified host proves nothing about another host. */
  private verificationAfter({ url, status }: Endpoint, changes: Partial<Endpoint>): Partial<Endpoint> {
    if (changes.url === undefined || new URL(changes.url).origin === new URL(url).origin) return {};
    if (!this.mustVerify || status === 'disabled') return { verifiedAt: null };
    return { verifiedAt: null, status: 'disabled', disabledReason: 'unverified' };
  }
}
