import { Inject, Injectable } from '@nestjs/common';
import { requirePermission, requireProtected } from '#libs/auth/current-principal.js';
import { SETTINGS_TOKEN } from '#libs/config/settings.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import { type NetworkSettings, networksOf } from '#libs/outbound/address.js';
import { Resolver } from '#libs/outbound/resolver.js';
import type { Deleted } from '#libs/resource/types/record.dto.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { checkTargetUrl } from '#libs/webhooks/target-url.js';
import { LOCAL, refuseBuiltIn, refuseUsed } from './built-in.js';
import { type AiProviderView, providers } from './provider.js';
import type { NewProvider, ProviderPatch } from './provider.requests.js';
import { ProvidersRepository } from './providers.repository.js';
import { Providers } from './providers.service.js';

/** Administration of the connections to AI providers. */
@Injectable()
export class ProviderChangesService {
  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: NetworkSettings,
    private readonly resolver: Resolver,
    private readonly repository: ProvidersRepository,
    private readonly providers: Providers,
    private readonly clock: Clock,
  ) {}

  /** @throws Problem 400, 403 `permission_denied` or `step_up_required`, 409 `limit_reached` or `duplicate`. */
  async create(input: NewProvider): Promise<AiProviderView> {
    const { key, name = key, api, secretName = null, region = null, isIdempotent = false, enabled = true } = input;
    const baseUrl = withoutSlash(input.baseUrl);
    if (secretName !== null) this.requireToLead();
    const violations: Violation[] = await this.urlViolations(baseUrl);
    if (key === LOCAL)
      violations.push({ pointer: '/key', code: 'invalid_value', detail: 'The key is that of the built-in provider.' });
    if (violations.length > 0) throw Problem.validation(violations);
    return this.providers.objects.create(async (transaction) => {
      await this.requireSecret(transaction, secretName);
      const own = { key, name, api, baseUrl, secretName, region, isIdempotent, enabled };
      return { ...own, isBuiltIn: false, createdBy: currentScope().actor, deletedAt: null };
    });
  }

  /** @throws Problem 400, 403 `permission_denied` or `step_up_required`, 404, 409 `record_locked`, 412. */
  async update(id: string, patch: ProviderPatch): Promise<AiProviderView> {
    const changes = { ...patch, ...(patch.baseUrl === undefined ? {} : { baseUrl: withoutSlash(patch.baseUrl) }) };
    if (changes.baseUrl !== undefined) {
      const violations = await this.urlViolations(changes.baseUrl);
      if (violations.length > 0) throw Problem.validation(violations);
    }
    refuseBuiltIn(id, providers.noun);
    return this.providers.objects.update(id, async (before, transaction) => {
      const { baseUrl, secretName } = { ...before, ...changes };
      const leads = baseUrl !== before.baseUrl || secretName !== before.secretName;
      if (leads && secretName !== null) this.requireToLead();
      if (secretName !== before.secretName) await this.requireSecret(transaction, secretName);
      return changes;
    });
  }

  /** @throws Problem 404, 409 `in_use` or `record_locked`, 412. */
  async remove(id: string): Promise<Deleted> {
    refuseBuiltIn(id, providers.noun);
    return this.providers.objects.delete(id, async (row, transaction) => {
      refuseUsed(await this.repository.usedBy(transaction, row), providers.noun);
      return { enabled: false };
    });
  }

  /**
   * Anyone who can change the address that receives a key can read the key there, so this requires the permission to
   * store secrets.
   * @throws Problem 403.
   */
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
