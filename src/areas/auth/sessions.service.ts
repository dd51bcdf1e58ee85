import { Injectable } from '@nestjs/common';
import { currentPrincipal, requirePermission } from '#libs/auth/current-principal.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Member } from '#libs/members/member.js';
import { Members } from '#libs/members/members.js';
import { pageOfAll } from '#libs/resource/lists/page-of-all.js';
import type { ShortListQuery } from '#libs/resource/lists/page-query.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { checkPrecondition } from '#libs/resource/records/precondition.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { TenantReader } from '#libs/tenants/tenant-reader.js';
import type { CurrentCaller, LoggedOut, NewSession, SessionView, SignedInTenant } from '#libs/members/session.dto.js';
import { MAX_SESSIONS, SESSION_TYPE, SESSIONS_PATH } from '#libs/members/session.dto.js';
import { sessionEvents, withoutPlace } from './session.js';
import { SessionsRepository, type NamedTenant, type SignInProof, type StoredSession } from './sessions.repository.js';

const MAX_USER_AGENT = 500;
/** A session changes once, when it is ended. */
const FIRST_VERSION = 1;

/** Sessions of people who have signed in. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly kit: ResourceKit,
    private readonly repository: SessionsRepository,
    private readonly members: Members,
    private readonly settings: TenantSettings,
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly tenants: TenantReader,
  ) {
    kit.registry.declareObject(sessionEvents);
  }

  /**
   * Opens a session for a member of the tenant in scope, in the open transaction; from now on they are who acts.
   * @throws Problem 403 `tenant_suspended`.
   */
  async open(
    transaction: Transaction,
    { member, userId, proof, tenant }: { member: Member; userId: string; proof: SignInProof; tenant: NamedTenant },
  ): Promise<NewSession> {
    await this.tenants.requireServed();
    const { sessionHours, idleMinutes } = (await this.settings.get()).security;
    const scope = currentScope();
    scope.actor = { type: 'member', id: member.id, name: member.name };
    const at = this.kit.now();
    const { methods, authenticatedAt, multiFactorAt } = proof;
    const session: StoredSession = {
      id: uuidv7(),
      memberId: member.id,
      name: member.name,
      ip: scope.clientIp,
      userAgent: scope.userAgent?.slice(0, MAX_USER_AGENT) ?? null,
      methods,
      authenticatedAt,
      multiFactorAt,
      idleSeconds: idleMinutes * 60,
      expiresAt: later(at, sessionHours * 3_600),
      createdAt: at,
      lastSeenAt: at,
      revokedAt: null,
    };
    const { token, save } = this.repository.open(session, userId);
    const view = present(session);
    this.kit.commits.add(transaction, {
      save,
      event: `${SESSION_TYPE}.created`,
      subject: subjectOf(session, FIRST_VERSION),
      before: null,
      after: withoutPlace(view),
      at,
      riskLevel: 'low',
    });
    const { expiresAt, idleExpiresAt } = view;
    const { id, name, email } = member;
    return {
      id: view.id,
      token,
      expiresAt,
      idleExpiresAt,
      session: view,
      membership: { id, name, email },
      tenant: named(tenant),
    };
  }

  /** Who makes the request, and with what. */
  async current(): Promise<CurrentCaller> {
    const { kind, credentialId, membershipId, tenant } = currentPrincipal();
    const session = kind === 'session' ? await this.repository.find(credentialId) : null;
    const member = membershipId === null ? null : await this.members.find(membershipId);
    const { name } = (await this.repository.tenant(tenant.slug))!; // the credential belongs to it
    return {
      kind: kind === 'session' ? 'session' : 'api_key',
      session: session && present(session),
      membership: member && { id: member.id, name: member.name, email: member.email },
      tenant: named({ ...tenant, name }),
    };
  }

  /** The session that the request came with; null for an API key. */
  async ofCaller(): Promise<SessionView | null> {
    const { kind, credentialId } = currentPrincipal();
    const session = kind === 'session' ? await this.repository.find(credentialId) : null;
    return session && present(session);
  }

  /** The open sessions of the member that the caller acts for. */
  async list(query: ShortListQuery): Promise<Page<SessionView>> {
    const { membershipId } = currentPrincipal();
    const sessions = membershipId === null ? [] : await this.repository.ofMember(membershipId, this.kit.now());
    return pageOfAll(sessions.map(present), { limit: MAX_SESSIONS, ...query }, this.cursors, [
      'sessions',
      membershipId,
    ]);
  }

  /** Ends a session: one's own, and with `sessions:revoke` anybody's. @throws Problem 403, 404. */
  async end(id: string): Promise<{ id: string; object: string; deleted: true; deletedAt: string }> {
    return this.database.transaction(async (transaction) => {
      const session = await this.repository.find(id);
      if (session?.revokedAt !== null) throw Problem.notFound();
      checkPrecondition(FIRST_VERSION);
      if (session.memberId !== currentPrincipal().membershipId) requirePermission('sessions:revoke');
      return { id, object: SESSION_TYPE, deleted: true, deletedAt: this.revoke(transaction, session) };
    });
  }

  /** Ends the session that the request came with. */
  async logOut(): Promise<LoggedOut> {
    const { kind, credentialId } = currentPrincipal();
    if (kind !== 'session') return { sessionId: null };
    return this.database.transaction(async (transaction) => {
      const session = (await this.repository.find(credentialId))!; // the caller has just been let in with it
      this.revoke(transaction, session);
      return { sessionId: session.id };
    });
  }

  private revoke(transaction: Transaction, session: StoredSession): string {
    const at = this.kit.now();
    this.kit.commits.add(transaction, {
      save: this.repository.revoke(session.id, at),
      event: `${SESSION_TYPE}.revoked`,
      subject: subjectOf(session, FIRST_VERSION + 1),
      before: withoutPlace(present(session)),
      after: withoutPlace(present({ ...session, revokedAt: at })),
      at,
      riskLevel: 'low',
    });
    return at;
  }
}

const later = (at: string, seconds: number): string => new Date(Date.parse(at) + seconds * 1_000).toISOString();

function subjectOf({ id, name }: StoredSession, version: number) {
  return { type: SESSION_TYPE, id, reference: null, version, url: SESSIONS_PATH, name };
}

function named({ id, slug, name }: SignedInTenant): SignedInTenant {
  return { id, slug, name };
}

function present(session: StoredSession): SessionView {
  const { id, memberId, createdAt, lastSeenAt, idleSeconds, expiresAt, revokedAt, ip, userAgent } = session;
  const idleExpiresAt = later(lastSeenAt, idleSeconds);
  return {
    id,
    object: SESSION_TYPE,
    membershipId: memberId,
    createdAt,
    lastSeenAt,
    idleExpiresAt: idleExpiresAt < expiresAt ? idleExpiresAt : expiresAt,
    expiresAt,
    revokedAt,
    ip,
    userAgent,
    authMethods: session.methods,
    authTime: session.authenticatedAt,
    multiFactorAt: session.multiFactorAt,
  };
}
