import { Injectable } from '@nestjs/common';
import { currentPrincipal, holds } from '#libs/auth/current-principal.js';
import { type PersonalSession, personOrNull } from '#libs/auth/sessions/personal-session.js';
import type { Principal } from '#libs/auth/principal.js';
import { heldIn } from '#libs/auth/rights.js';
import { contentTag } from '#libs/http/answer-headers.js';
import { API_VERSION } from '#libs/http/api-version.js';
import { civilDateAt } from '#libs/kernel/civil-time.js';
import { Clock } from '#libs/kernel/clock.js';
import { CallersRoles } from '#libs/members/callers-roles.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { TenantOnboarding } from '#libs/tenants/tenant-onboarding.js';
import { TenantReader } from '#libs/tenants/tenant-reader.js';
import { viewOf } from '#libs/tenants/tenant.dto.js';
import { CallerService } from '#src/areas/auth/caller.service.js';
import { SessionsService } from '#src/areas/auth/sessions.service.js';
import { ApprovalsService } from '#src/areas/home/approvals/approvals.service.js';
import { InboxService } from '#src/areas/home/notifications/inbox.service.js';
import { TasksService } from '#src/areas/work/tasks/tasks.service.js';
import {
  type MemberName,
  MEMBERS,
  type StartCounts,
  type StartDocument,
  type StartLimits,
  type StartServer,
  type StartSettings,
  type StartTenant,
} from './bootstrap.dto.js';
import { BootstrapRepository, type Place } from './bootstrap.repository.js';
import { Navigation } from './navigation.js';
import { StartTypesService } from './start-types.service.js';

/** Loads each member of the document. */
type Members = { [M in MemberName]: () => Promise<StartDocument[M]> | StartDocument[M] };

/** Builds the bootstrap document. Only the requested members are loaded. */
@Injectable()
export class BootstrapService {
  constructor(
    private readonly repository: BootstrapRepository,
    private readonly tenants: TenantReader,
    private readonly sessions: SessionsService,
    private readonly callers: CallerService,
    private readonly roles: CallersRoles,
    private readonly approvals: ApprovalsService,
    private readonly inbox: InboxService,
    private readonly onboarding: TenantOnboarding,
    private readonly tasks: TasksService,
    private readonly settings: TenantSettings,
    private readonly navigation: Navigation,
    private readonly types: StartTypesService,
    private readonly clock: Clock,
  ) {}

  /** The members that were asked for, all of them if none was named. */
  async read(fields: readonly MemberName[] = MEMBERS): Promise<StartDocument> {
    const person = personOrNull();
    const members = person ? this.withoutTenant(person) : this.inTenant();
    const found = await Promise.all(fields.map(async (field) => [field, await members[field]()] as const));
    return Object.fromEntries(found);
  }

  private inTenant(): Members {
    const { membershipId } = currentPrincipal();
    let known: Promise<Place> | null = null;
    const place = () => (known ??= this.repository.place(membershipId));
    // The cached facts about caller and tenant are up to date after a read.
    const caller = async () => (await place(), currentPrincipal());
    return {
      session: () => this.sessions.current(),
      user: async () => (await place()).user,
      membership: async () => (await place()).membership,
      tenant: async () => viewOf(await this.tenants.current()),
      tenants: () => this.tenantsToChoose(),
      workspaces: async () => (await place()).workspaces,
      roles: async () => this.roles.named((await caller()).authority.roleIds),
      permissions: async () => heldIn((await caller()).permissions),
      limits: async () => limitsOf(await caller()),
      settings: async () => this.told((await place()).user),
      features: async () => (await this.settings.get()).features,
      types: async () => this.types.readableBy(await caller()),
      counts: async () => this.counts(membershipId, (await place()).user),
      onboarding: async () => (await caller(), holds('onboarding:read') ? this.onboarding.progress() : null),
      areas: async () => this.navigation.openTo(await caller()),
      server: () => this.server(),
    };
  }

  private withoutTenant({ userId: id, name, email }: PersonalSession): Members {
    return {
      session: () => this.sessions.current(),
      user: () => ({ id, name, email, locale: null, timezone: null }),
      membership: () => null,
      tenant: () => null,
      tenants: () => this.tenantsToChoose(),
      workspaces: () => [],
      roles: () => [],
      permissions: () => [],
      limits: () => null,
      settings: () => null,
      features: () => null,
      types: () => null,
      counts: () => null,
      onboarding: () => null,
      areas: () => [],
      server: () => this.server(),
    };
  }

  /** Shows only what is needed to select another tenant. */
  private async tenantsToChoose(): Promise<StartTenant[]> {
    return (await this.callers.tenants()).map(({ slug, name }) => ({ slug, name }));
  }

  private server(): StartServer {
    return { version: API_VERSION, time: this.clock.now().toISOString() };
  }

  private async told(user: Place['user']): Promise<StartSettings> {
    const { general, branding } = await this.settings.get();
    const { locale, timezone, weekStart } = general;
    return {
      locale: user?.locale ?? locale,
      timezone: user?.timezone ?? timezone,
      weekStart,
      currency: currentPrincipal().tenant.currency,
      branding,
    };
  }

  private async counts(membershipId: string | null, user: Place['user']): Promise<StartCounts> {
    const { timezone } = await this.told(user);
    const today = civilDateAt(this.clock.nowMs(), timezone);
    const [notifications, approvals, tasksDue] = await Promise.all([
      membershipId === null ? null : this.inbox.countUnread(),
      this.approvals.countToDecide(),
      membershipId === null ? null : this.tasks.countDue(membershipId, today),
    ]);
    return { notifications, approvals, tasksDue };
  }
}

/** ETag of a document; it ignores the time of the server and the last use of the session. */
export function tagOf({ server, session, ...rest }: StartDocument): string {
  const lasting = session && { ...session, lastSeenAt: null, idleExpiresAt: null };
  return contentTag({ ...rest, session: lasting, server: server?.version });
}

function limitsOf({ limits }: Principal): StartLimits {
  return { readsPerMinute: limits.read, writesPerMinute: limits.write };
}
