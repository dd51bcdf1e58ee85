import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { actionsFrom, invalidTransition } from '#libs/kernel/lifecycle.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import { Resolver } from '#libs/outbound/resolver.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { Commits } from '#libs/resource/commits.js';
import { toListRequest } from '#libs/resource/list-query.js';
import { checkPrecondition } from '#libs/resource/precondition.js';
import type { Deleted } from '#libs/resource/record.dto.js';
import type { Page } from '#libs/resource/resource.repository.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { holdBacklog, releaseBacklog, skipBacklog } from '#libs/webhooks/endpoint-backlog.js';
import type { EndpointHealth } from '#libs/webhooks/endpoint-health.js';
import { EndpointSecrets } from '#libs/webhooks/endpoint-secrets.js';
import { generateSecret } from '#libs/webhooks/signature.js';
import { checkTargetUrl } from '#libs/webhooks/target-url.js';
import {
  type CreateWebhookEndpoint,
  endpointList,
  GRACE_SECONDS,
  type RotatedWebhookSecret,
  type RotateWebhookSecret,
  TIMEOUT_MS,
  type WebhookEndpointView,
  type WebhookEndpointWithSecret,
} from './endpoint.dto.js';
import type { Endpoint } from './endpoint.entity.js';
import { type DisabledReason, ENDPOINT_TYPE, type EndpointAction, endpointLifecycle } from './endpoint.lifecycle.js';
import { EndpointsRepository } from './endpoints.repository.js';

const MAX_NAME = 200;
const EDITABLE = ['url', 'eventTypes', 'description', 'timeoutMs'] as const;

/** Webhook endpoints: where events of the tenant are sent. `Source:` contract section 8. */
@Injectable()
export class EndpointsService implements EndpointHealth {
  private readonly allowedCidrs: readonly string[];

  constructor(
    private readonly repository: EndpointsRepository,
    private readonly database: Database,
    private readonly commits: Commits,
    private readonly secrets: EndpointSecrets,
    private readonly events: EventCatalogue,
    private readonly resolver: Resolver,
    private readonly clock: Clock,
    @Inject(SETTINGS_TOKEN) settings: Pick<Settings, 'WEBHOOK_ALLOWED_CIDRS'>,
  ) {
    this.allowedCidrs = settings.WEBHOOK_ALLOWED_CIDRS;
  }

  async list(query: Record<string, unknown>): Promise<Page<WebhookEndpointView>> {
    const { data, page } = await this.repository.page(toListRequest(endpointList, query), endpointList);
    return { data: data.map(present), page };
  }

  async get(id: string): Promise<WebhookEndpointView> {
    return present(await this.find(id));
  }

  /** The row of an endpoint. @throws Problem 404, also when it is deleted. */
  async find(id: string): Promise<Endpoint> {
    const row = await this.repository.find(id);
    if (row?.deletedAt !== null) throw Problem.notFound();
    return row;
  }

  /** Makes an endpoint; the answer is the only one that shows its secret. @throws Problem 400 for url and event types. */
  async create(input: CreateWebhookEndpoint): Promise<WebhookEndpointWithSecret> {
    await this.check(input);
    const id = uuidv7();
    const secret = generateSecret();
    const secretSealed = await this.secrets.seal(secret, id);
    const at = this.now();
    const { actor } = currentScope();
    const row: Endpoint = {
      tenantId: currentTenant().id,
      id,
      url: input.url,
      description: input.description ?? null,
      eventTypes: input.eventTypes,
      status: endpointLifecycle.initial,
      disabledReason: null,
      timeoutMs: input.timeoutMs ?? TIMEOUT_MS,
      secretSealed,
      previousSecretSealed: null,
      previousSecretExpiresAt: null,
      version: 1,
      createdAt: at,
      updatedAt: at,
      createdBy: actor,
      updatedBy: actor,
      deletedAt: null,
    };
    return this.database.transaction(async (transaction) => {
      this.record(transaction, 'created', null, row, this.repository.insert(row));
      return { ...present(row), secret };
    });
  }

  /** Applies a merge patch. A patch that changes nothing leaves the version as it is and emits nothing. */
  async update(id: string, patch: Partial<CreateWebhookEndpoint>): Promise<WebhookEndpointView> {
    await this.check(patch);
    return this.database.transaction(async (transaction) => {
      const row = await this.lock(transaction, id);
      const changed = EDITABLE.filter((field) => field in patch && !same(row[field], patch[field]));
      if (changed.length === 0) return present(row);
      const changes = Object.fromEntries(changed.map((field) => [field, patch[field]]));
      return this.change(transaction, row, changes, 'updated');
    });
  }

  /** Deletes an endpoint; what is open for it is skipped. */
  async remove(id: string): Promise<Deleted> {
    return this.database.transaction(async (transaction) => {
      const row = await this.lock(transaction, id);
      const deletedAt = this.now();
      this.change(transaction, row, { deletedAt }, 'deleted');
      skipBacklog(row.tenantId, id).forEach((move) => transaction.write(move));
      return { id, object: ENDPOINT_TYPE, deleted: true, deletedAt };
    });
  }

  /** Enables, disables or pauses. @throws Problem 409 `invalid_transition`. */
  async act(id: string, action: EndpointAction): Promise<WebhookEndpointView> {
    return this.database.transaction(async (transaction) => {
      const row = await this.lock(transaction, id);
      const actions = actionsFrom(endpointLifecycle, row.status);
      if (!actions.includes(action)) throw invalidTransition(action, { state: row.status }, actions);
      return this.transit(transaction, row, action, action === 'disable' ? 'requested' : null);
    });
  }

  /**
   * Gives an endpoint a new secret; the one it replaces signs too until its grace is over.
   * @throws Problem 409 `secret_rotation_in_progress` within the grace of the last rotation, unless forced.
   */
  async rotateSecret(id: string, input: RotateWebhookSecret): Promise<RotatedWebhookSecret> {
    const { graceSeconds = GRACE_SECONDS, force = false } = input;
    const secret = generateSecret();
    const secretSealed = await this.secrets.seal(secret, id);
    return this.database.transaction(async (transaction) => {
      const row = await this.lock(transaction, id);
      if (!force) this.refuseWithinGrace(row);
      const previousSecretExpiresAt = new Date(this.clock.nowMs() + graceSeconds * 1_000).toISOString();
      const previousSecretSealed = graceSeconds > 0 ? row.secretSealed : null;
      const changes = { secretSealed, previousSecretSealed, previousSecretExpiresAt };
      this.change(transaction, row, changes, 'secret_rotated');
      return { secret, previousSecretExpiresAt };
    });
  }

  async disableGone(endpointId: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const row = await this.repository.lock(transaction, endpointId);
      if (row?.status === 'enabled' && row.deletedAt === null)
        this.transit(transaction, row, 'disable', 'endpoint_gone');
    });
  }

  private refuseWithinGrace({ previousSecretSealed, previousSecretExpiresAt }: Endpoint): void {
    if (previousSecretSealed === null || Date.parse(previousSecretExpiresAt!) <= this.clock.nowMs()) return;
    throw new Problem(
      'secret_rotation_in_progress',
      `The previous secret is valid until ${previousSecretExpiresAt}; pass force to drop it now.`,
      { extensions: { previousSecretExpiresAt } },
    );
  }

  /** All that is wrong with URL and event types, as far as they are given. Asks DNS, so never in a transaction. */
  private async check({ url, eventTypes }: Partial<CreateWebhookEndpoint>): Promise<void> {
    const { allowedCidrs, resolver } = this;
    const violations: Violation[] = (eventTypes ?? []).flatMap((pattern, index) =>
      this.events.matchesAny(pattern)
        ? []
        : [{ pointer: `/eventTypes/${index}`, code: 'unknown_event_type', detail: 'No event type matches this.' }],
    );
    if (url !== undefined) violations.unshift(...(await checkTargetUrl(url, { allowedCidrs, resolver })));
    if (violations.length > 0) throw Problem.validation(violations);
  }

  /** The row with an id, locked, its `If-Match` checked. @throws Problem 404, 412. */
  private async lock(transaction: Transaction, id: string): Promise<Endpoint> {
    const row = await this.repository.lock(transaction, id);
    if (row?.deletedAt !== null) throw Problem.notFound();
    checkPrecondition(row.version);
    return row;
  }

  private transit(
    transaction: Transaction,
    row: Endpoint,
    action: EndpointAction,
    disabledReason: DisabledReason | null,
  ): WebhookEndpointView {
    const { to, event, risk } = endpointLifecycle.transitions[action];
    const view = this.change(transaction, row, { status: to!, disabledReason }, event, risk);
    const move = to === 'enabled' ? releaseBacklog : holdBacklog;
    move(row.tenantId, row.id).forEach((each) => transaction.write(each));
    return view;
  }

  private change(
    transaction: Transaction,
    row: Endpoint,
    changes: Partial<Endpoint>,
    event: string,
    riskLevel: 'low' | 'medium' | 'high' = 'medium',
  ): WebhookEndpointView {
    const { actor } = currentScope();
    const after = { ...row, ...changes, version: row.version + 1, updatedAt: this.now(), updatedBy: actor };
    this.record(transaction, event, row, after, this.repository.replace(after), riskLevel);
    return present(after);
  }

  private record(
    transaction: Transaction,
    event: string,
    before: Endpoint | null,
    after: Endpoint,
    save: Statement,
    riskLevel: 'low' | 'medium' | 'high' = 'medium',
  ): void {
    const { id, version } = after;
    this.commits.add(transaction, {
      save,
      event: `${ENDPOINT_TYPE}.${event}`,
      subject: { type: ENDPOINT_TYPE, id, reference: null, version, url: endpointPath(id), name: endpointName(after) },
      before: before && present(before),
      after: present(after),
      at: after.updatedAt,
      riskLevel,
    });
  }

  private now(): string {
    return this.clock.now().toISOString();
  }
}

/** Path of an endpoint in the API. */
export function endpointPath(id: string): string {
  return `/api/webhooks/endpoints/${id}`;
}

/** What the audit log calls an endpoint: its host. */
export function endpointName({ url }: Pick<Endpoint, 'url'>): string {
  return new URL(url).host.slice(0, MAX_NAME);
}

function present(row: Endpoint): WebhookEndpointView {
  const { tenantId: _t, secretSealed: _s, previousSecretSealed: _p, deletedAt: _d, ...view } = row;
  return { ...view, object: ENDPOINT_TYPE };
}

function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
