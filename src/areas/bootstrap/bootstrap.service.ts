import { Injectable } from '@nestjs/common';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { heldIn } from '#libs/auth/rights.js';
import { systemRoleOf } from '#libs/auth/roles.js';
import { contentTag } from '#libs/http/answer-headers.js';
import { API_VERSION } from '#libs/http/api-version.js';
import { civilDateAt } from '#libs/kernel/civil-time.js';
import { Clock } from '#libs/kernel/clock.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { TenantReader } from '#libs/tenants/tenant-reader.js';
import { viewOf } from '#libs/tenants/tenant.dto.js';
import { SessionsService } from '#src/areas/auth/sessions.service.js';
import { ApprovalsService } from '#src/areas/home/approvals/approvals.service.js';
import { TasksService } from '#src/areas/work/tasks/tasks.service.js';
import { type MemberName, MEMBERS, type StartCounts, type StartDocument, type StartSettings } from './bootstrap.dto.js';
import { BootstrapRepository, type Place } from './bootstrap.repository.js';
import { Navigation } from './navigation.js';

/** The document that an app starts with. A member that is not asked for costs nothing. */
@Injectable()
export class BootstrapService {
  constructor(
    private readonly repository: BootstrapRepository,
    private readonly tenants: TenantReader,
    private readonly sessions: SessionsService,
    private readonly approvals: ApprovalsService,
    private readonly tasks: TasksService,
    private readonly settings: TenantSettings,
    private readonly navigation: Navigation,
    private readonly clock: Clock,
  ) {}

  /** The members that were asked for, all of them if none was named. */
  async read(fields: readonly MemberName[] = MEMBERS): Promise<StartDocument> {
    const { permissions, limits, membershipId, authority } = currentPrincipal();
    let known: Promise<Place> | null = null;
    const place = () => (known ??= this.repository.place(membershipId, authority.roleIds));
    const members: { [M in MemberName]: () => Promise<StartDocument[M]> | StartDocument[M] } = {
      session: () => this.sessions.current(),
      user: async () => (await place()).user,
      membership: async () => (await place()).membership,
      tenant: async () => viewOf(await this.tenants.current()),
      workspaces: async () => (await place()).workspaces,
      roles: async () => [...authority.roleIds.flatMap(ofSystem), ...(await place()).roles],
      permissions: () => heldIn(permissions),
      limits: () => ({ readsPerMinute: limits.read, writesPerMinute: limits.write }),
      settings: async () => this.told((await place()).user),
      counts: async () => this.counts(membershipId, (await place()).user),
      areas: () => this.navigation.openTo(permissions),
      server: () => ({ version: API_VERSION, time: this.clock.now().toISOString() }),
    };
    const found = await Promise.all(fields.map(async (field) => [field, await members[field]()] as const));
    return Object.fromEntries(found);
  }

  private async told(user: Place['user']): Promise<StartSettings> {
    const { locale, timezone, weekStart } = (await this.settings.get()).general;
    return {
      locale: user?.locale ?? locale,
      timezone: user?.timezone ?? timezone,
      weekStart,
      currency: currentPrincipal().tenant.currency,
    };
  }

  private async counts(membershipId: string | null, user: Place['user']): Promise<StartCounts> {
    const { timezone } = await this.told(user);
    const today = civilDateAt(this.clock.nowMs(), timezone);
    const [approvals, tasksDue] = await Promise.all([
      this.approvals.countToDecide(),
      membershipId === null ? null : this.tasks.countDue(membershipId, today),
    ]);
    return { approvals, tasksDue };
  }
}

/** The validator of a document: it changes with all but the time of the server, and that the session was used. */
export function tagOf({ server, session, ...rest }: StartDocument): string {
  const lasting = session && { ...session, lastSeenAt: null, idleExpiresAt: null };
  return contentTag({ ...rest, session: lasting, server: server?.version });
}

function ofSystem(id: string) {
  const key = systemRoleOf(id);
  return key === null ? [] : [{ id, key, name: key }];
}
