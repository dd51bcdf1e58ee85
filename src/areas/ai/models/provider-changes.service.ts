import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { requirePermission, requireProtected } from '#libs/auth/current-principal.js';
import { SETTINGS_TOKEN } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import { type NetworkSettings, networksOf } from '#libs/outbound/address.js';
import { Resolver } from '#libs/outbound/resolver.js';
import { Commits } from '#libs/resource/commits.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { checkTargetUrl } from '#libs/webhooks/target-url.js';
import { BuiltInChanges } from './built-in-changes.js';
import { LOCAL } from './built-in.js';
import {
  type AiProviderView,
  type CreateAiProvider,
  type DeletedAiRecord,
  MAX_PROVIDERS,
  PROVIDER_TYPE,
  PROVIDERS_PATH,
  type ProviderPatch,
} from './provider.dto.js';
import { ProvidersRepository, type StoredProvider } from './providers.repository.js';
import { present } from './providers.service.js';

/** Connections to AI providers, as administrators make and change them. */
@Injectable()
export class ProviderChangesService extends BuiltInChanges<StoredProvider, AiProviderView> {
  protected override readonly type = PROVIDER_TYPE;
  protected override readonly noun = 'provider';
  protected override readonly path = PROVIDERS_PATH;

  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: NetworkSettings,
    private readonly resolver: Resolver,
    protected override readonly repository: ProvidersRepository,
    protected override readonly commits: Commits,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super();
  }

  /** @throws Problem 400, 403 `permission_denied` or `step_up_required`, 409 `limit_reached` or `duplicate`. */
  async create(input: CreateAiProvider): Promise<AiProviderView> {
    const { key, name = key, api, secretName = null, region = null, isIdempotent = false, enabled = true } = input;
    const baseUrl = withoutSlash(input.baseUrl);
    if (secretName !== null) this.requireToLead();
    const violations: Violation[] = await this.urlViolations(baseUrl);
    if (key === LOCAL)
      violations.push({ pointer: '/key', code: 'invalid_value', detail: 'The key is that of the built-in provider.' });
    if (violations.length > 0) throw Problem.validation(violations);
    const at = this.clock.now().toISOString();
    const id = uuidv7();
    const made = { version: 1, createdAt: at, createdBy: currentScope().actor, updatedAt: at };
    const row: StoredProvider = { id, key, name, api, baseUrl, secretName, region, isIdempotent, enabled, ...made };
    return this.database.transaction(async (transaction) => {
      if ((await this.repository.count(transaction)) >= MAX_PROVIDERS)
        throw new Problem('limit_reached', `A tenant can have ${MAX_PROVIDERS} providers.`);
      await this.requireSecret(transaction, secretName);
      if (await this.repository.share(transaction, key))
        throw new Problem('duplicate', 'There is a provider with this key.', { extensions: { field: 'key' } });
      return this.record(transaction, 'created', null, row);
    });
  }

  /** @throws Problem 400, 403 `permission_denied` or `step_up_required`, 404, 409 `record_locked`, 412. */
  async update(id: string, patch: ProviderPatch): Promise<AiProviderView> {
    const baseUrl = patch.baseUrl === undefined ? undefined : withoutSlash(patch.baseUrl);
    if (baseUrl !== undefined) {
      const violations = await this.urlViolations(baseUrl);
      if (violations.length > 0) throw Problem.validation(violations);
    }
    return this.database.transaction(async (transaction) => {
      const before = await this.lock(transaction, id);
      const changed = { ...before, ...patch, ...(baseUrl === undefined ? {} : { baseUrl }) };
      const leads = changed.baseUrl !== before.baseUrl || changed.secretName !== before.secretName;
      if (leads && changed.secretName !== null) this.requireToLead();
      if (changed.secretName !== before.secretName) await this.requireSecret(transaction, changed.secretName);
      if (isDeepStrictEqual(changed, before)) return present(before);
      const after = { ...changed, version: before.version + 1, updatedAt: this.clock.now().toISOString() };
      return this.record(transaction, 'updated', before, after);
    });
  }

  /** @throws Problem 404, 409 `in_use` or `record_locked`, 412. */
  async remove(id: string): Promise<DeletedAiRecord> {
    return this.database.transaction((transaction) =>
      this.bury(transaction, id, { updatedAt: this.clock.now().toISOString() }),
    );
  }

  protected override present(row: StoredProvider): AiProviderView {
    return present(row);
  }

  /** Whoever chooses where a key is sent can read it there: that takes what storing one does. @throws Problem 403. */
  private requireToLead(): void {
    requirePermission('secrets:manage');
    requireProtected(this.clock.nowMs());
  }

  private async requireSecret(transaction: Transaction, name: string | null): Promise<void> {
    if (name === null || (await this.repository.hasSecret(transaction, name))) return;
    throw Problem.validation([
      { pointer: '/secretName', code: 'unknown_reference', detail: 'There is no secret with this name.' },
    ]);
  }

  private async urlViolations(url: string): Promise<Violation[]> {
    const options = { ...networksOf(this.settings), resolver: this.resolver };
    const violations = await checkTargetUrl(url, options);
    if (URL.parse(url)?.search)
      violations.push({ pointer: '', code: 'invalid_url', detail: 'The URL must not have a query.' });
    return violations.map((violation) => ({ ...violation, pointer: '/baseUrl' }));
  }
}

function withoutSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url;
}
