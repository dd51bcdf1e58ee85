import { Injectable, type OnModuleInit } from '@nestjs/common';
import { requirePermission } from '#libs/auth/current-principal.js';
import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import type { Transaction } from '#libs/database/transaction.js';
import { fieldsOf } from '#libs/http/field.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { DAY_MS, HOUR_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { requirePossible } from '#libs/kernel/lifecycle.js';
import { Problem } from '#libs/kernel/problem.js';
import { PRIVILEGED_GATE, RoleDoor } from '#libs/members/role-door.js';
import type { PendingApproval } from '#libs/resource/gates/approval.parts.js';
import { pageOfAll } from '#libs/resource/lists/page-of-all.js';
import { comparisonKey } from '#libs/kernel/domain.js';
import { byName } from '#libs/resource/lists/named-list.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { ScimGrantsService } from '#src/areas/scim/grants/scim-grants.service.js';
import { ScimLocations } from '#src/areas/scim/scim-locations.service.js';
import { type ScimConfiguration, scimConfigurations } from './scim-configuration.js';
import {
  connectionLife,
  type ScimAction,
  ScimCommand,
  type ScimCommandResult,
  type ScimConfigurationList,
  type ScimConfigurationQuery,
  type ScimConfigurationView,
} from './scim-configuration.requests.js';
import { ConfigurationRecords } from './configuration-records.js';
import { ConfigurationRules, mappingOf } from './configuration-rules.js';
import { ScimConfigurationsRepository } from './scim-configurations.repository.js';
import { endTokens, newToken, renewToken } from './scim-tokens.js';

const DEFAULT_TOKEN_DAYS = 365;
const DEFAULT_OVERLAP_HOURS = 24;
const PERMISSION = 'scim:manage';

interface Done {
  id: string;
  token: string | null;
  pendingApproval?: PendingApproval;
}

/** Manages connections to identity providers. */
@Injectable()
export class ScimConfigurationsService implements OnModuleInit {
  constructor(
    private readonly repository: ScimConfigurationsRepository,
    private readonly rules: ConfigurationRules,
    private readonly records: ConfigurationRecords,
    private readonly grants: ScimGrantsService,
    private readonly locations: ScimLocations,
    private readonly door: RoleDoor,
    private readonly registry: ResourceRegistry,
    private readonly cursors: Cursors,
  ) {}

  onModuleInit(): void {
    const fields = [...fieldsOf(ScimCommand).keys()];
    this.registry.addCommands({ type: scimConfigurations.type, gate: PRIVILEGED_GATE, fields, executor: this });
  }

  /** The configurations, optionally with the last calls of all of them. */
  async list(query: ScimConfigurationQuery): Promise<ScimConfigurationList> {
    const { include = [], ...paging } = query;
    const events = include.includes('events') ? await this.repository.events() : null;
    const all = byName(await this.repository.all(), query);
    const { data, page } = pageOfAll(all, paging, this.cursors, [scimConfigurations.type]);
    return { data: await this.show(data), page, baseUrl: this.locations.base, events };
  }

  /**
   * Creates or changes a configuration.
   * @throws Problem 400, 403 `grant_exceeds_rights`, 404, 409 `limit_reached`, 409 `invalid_transition`.
   */
  async run(input: ScimCommand): Promise<ScimCommandResult> {
    const action = input.action ?? 'create';
    return this.records.objects.unit(async (transaction) => {
      const { id, token, pendingApproval = null } = await this.take(transaction, action, input);
      const [view] = await this.show([(await this.repository.find(id))!]);
      return { ...view!, token, baseUrl: this.locations.base, pendingApproval };
    });
  }

  /** Executes an approved change on behalf of the requester. @throws Problem 409 `stale_target`. */
  async execute(_action: string, id: string, input: ScimCommand, version: number): Promise<unknown> {
    return this.records.objects.unit(async (transaction) => {
      requirePermission(PERMISSION);
      const before = await this.lock(transaction, id);
      if (before.version !== version)
        throw new Problem('stale_target', 'The configuration has changed since approval was requested.');
      return this.update(transaction, before, input);
    });
  }

  translate(error: unknown): unknown {
    return error;
  }

  private async take(transaction: Transaction, action: ScimAction, input: ScimCommand): Promise<Done> {
    if (action === 'create') return this.create(transaction, input);
    const before = await this.lock(transaction, input.id!);
    if (action === 'rotate_token') return this.rotate(transaction, before, input);
    if (action === 'update') return this.updateOrWait(transaction, before, input);
    requirePossible(connectionLife, action, before.status);
    const { to, event } = connectionLife.transitions[action];
    this.records.change(transaction, before, { status: to! }, event);
    return { id: before.id, token: null };
  }

  private async create(transaction: Transaction, input: ScimCommand): Promise<Done> {
    const { name = '', defaultRoleIds = [SYSTEM_ROLE_IDS.member], deprovisionAction = 'suspend' } = input;
    await this.records.objects.refuseBeyondLimit((await this.repository.all()).length);
    const groupRoleMap = mappingOf(input.groupRoleMap ?? []);
    await this.rules.requireGrantable(transaction, defaultRoleIds, groupRoleMap);
    // Creation cannot be parked, because the token must be shown to the requester, not to the approver.
    await this.door.refuse(
      await this.rules.promised(transaction, null, { defaultRoleIds, groupRoleMap }),
      () => ({ ...input, defaultRoleIds }),
      'Connect the provider without privileged roles first, then add them with an update, which can wait for approval.',
    );
    const id = uuidv7();
    const token = newToken(
      id,
      name,
      this.records.objects.now(),
      this.after(input.tokenExpiresInDays ?? DEFAULT_TOKEN_DAYS, DAY_MS),
    );
    this.records.add(transaction, {
      id,
      name,
      status: 'active',
      defaultRoleIds,
      groupRoleMap,
      deprovisionAction,
      allowedDomains: input.allowedDomains ?? [],
      createdBy: currentScope().actor,
      tokenLast4: token.last4,
      deletedAt: null,
    });
    transaction.write(token.insert);
    return { id, token: token.text };
  }

  /** The old token stays valid for the overlap, so that the new one can be configured at the provider. */
  private async rotate(transaction: Transaction, before: ScimConfiguration, input: ScimCommand): Promise<Done> {
    await this.rules.requireRoles(transaction, before.defaultRoleIds, before.groupRoleMap);
    const days = input.tokenExpiresInDays ?? DEFAULT_TOKEN_DAYS;
    const token = newToken(before.id, before.name, this.records.objects.now(), this.after(days, DAY_MS));
    transaction.write(endTokens(before.id, this.after(input.overlapHours ?? DEFAULT_OVERLAP_HOURS, HOUR_MS)));
    transaction.write(token.insert);
    this.records.change(transaction, before, { tokenLast4: token.last4 }, 'token_rotated');
    return { id: before.id, token: token.text };
  }

  private async updateOrWait(transaction: Transaction, before: ScimConfiguration, input: ScimCommand): Promise<Done> {
    const { defaultRoleIds = before.defaultRoleIds, groupRoleMap } = input;
    const wanted = { defaultRoleIds, groupRoleMap: groupRoleMap ? mappingOf(groupRoleMap) : before.groupRoleMap };
    await this.rules.requireGrantable(transaction, input.defaultRoleIds ?? [], groupRoleMap ? wanted.groupRoleMap : []);
    const order = {
      operation: 'admin.scim.command',
      action: 'update',
      summary: 'Let an identity provider grant a privileged role',
      permission: PERMISSION,
      object: scimConfigurations.type,
      row: before,
      input: { ...input },
      facts: () => ({ ...this.records.objects.tell(before), ...input }),
    };
    const work = () => this.update(transaction, before, input);
    const roles = await this.rules.promised(transaction, before, wanted);
    const pendingApproval = await this.door.hold(transaction, roles, order, work);
    return pendingApproval ? { id: before.id, token: null, pendingApproval } : work();
  }

  private async update(transaction: Transaction, before: ScimConfiguration, input: ScimCommand): Promise<Done> {
    const { name, defaultRoleIds, deprovisionAction, allowedDomains, tokenExpiresInDays } = input;
    const wanted = { name, defaultRoleIds, deprovisionAction, allowedDomains };
    const groupRoleMap = input.groupRoleMap ? mappingOf(input.groupRoleMap) : before.groupRoleMap;
    await this.rules.requireGrantable(transaction, defaultRoleIds ?? [], input.groupRoleMap ? groupRoleMap : []);
    const given = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
    const expiry = tokenExpiresInDays === undefined ? null : this.after(tokenExpiresInDays, DAY_MS);
    const renewed = expiry === null ? {} : { tokenExpiresAt: expiry };
    this.records.change(transaction, before, { ...given, groupRoleMap, ...renewed }, 'updated');
    if (expiry !== null) transaction.write(renewToken(before.id, this.records.objects.now(), expiry));
    if (input.groupRoleMap) {
      const names = [...before.groupRoleMap, ...groupRoleMap].map(({ group }) => comparisonKey(group));
      await this.grants.ofNames(transaction, before.id, [...new Set(names)]);
    }
    return { id: before.id, token: null };
  }

  /** Locks a configuration until the transaction ends. @throws Problem 404. */
  private async lock(transaction: Transaction, id: string): Promise<ScimConfiguration> {
    const row = await this.repository.lock(transaction, id);
    if (!row) throw Problem.notFound();
    return row;
  }

  private async show(rows: readonly ScimConfiguration[]): Promise<ScimConfigurationView[]> {
    const known = await this.repository.withFigures(rows, this.after(-1, DAY_MS));
    return known.map((row) => ({ ...row, object: scimConfigurations.type }));
  }

  private after(count: number, unitMs: number): string {
    return new Date(Date.parse(this.records.objects.now()) + count * unitMs).toISOString();
  }
}
