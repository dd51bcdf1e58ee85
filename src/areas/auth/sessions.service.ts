import { Injectable } from '@nestjs/common';
import { currentPrincipal, requirePermission } from '#libs/auth/current-principal.js';
import { personOrNull } from '#libs/auth/sessions/personal-session.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { cut } from '#libs/kernel/cut.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Member } from '#libs/members/member.js';
import { pageOfAll } from '#libs/resource/lists/page-of-all.js';
import type { PageQuery } from '#libs/resource/lists/page-query.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { checkPrecondition } from '#libs/resource/records/precondition.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { TenantReader } from '#libs/tenants/tenant-reader.js';
import type { NewSession, SessionView } from '#libs/members/session.dto.js';
import { SESSION_TYPE, SESSIONS_PATH } from '#libs/members/session.dto.js';
import { PersonalSessionsService } from './personal-sessions.service.js';
import { later, namedTenant, presentPersonalSession, presentSession } from './session-views.js';
import { sessionEvents, withoutPlace } from './session.js';
import { SessionsRepository, type NamedTenant, type SignInProof, type StoredSession } from './sessions.repository.js';

const MAX_USER_AGENT = 500;
/** A session changes only once, when it ends. */
const FIRST_VERSION = 1;

/** Parameters of a new session. */
export interface Opening {
  member: Member;
  userId: string;
  proof: SignInProof;
  tenant: NamedTenant;
  /** Whether a browser has its token in a cookie. */
  inBrowser?: boolean;
  /** Latest expiry, from the session that it was created from. */
  notAfter?: string;
}

/** Sessions of people who have signed in. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly kit: ResourceKit,
    private readonly repository: SessionsRepository,
    private readonly personal: PersonalSessionsService,
    private readonly settings: TenantSettings,
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly tenants: TenantReader,
  ) {
    kit.registry.declareObject(sessionEvents);
  }

  /**
   * Opens a session for a member of the current tenant, in the open transaction, and makes the member the actor.
   * @throws Problem 403 `tenant_suspended`.
   */
  async open(
    transaction: Transaction,
    { member, userId, proof, tenant, inBrowser = false, notAfter }: Opening,
  ): Promise<NewSession> {
    await this.tenants.requireServed();
    const { sessionHours, idleMinutes } = (await this.settings.get()).security;
    const scope = currentScope();
    scope.actor = { type: 'member', id: member.id, name: member.name };
    const at = this.kit.now();
    const { methods, authenticatedAt, multiFactorAt } = proof;
    const session: StoredSession = {
      id: uuidv7(),
      userId,
      memberId: member.id,
      name: member.name,
      ip: scope.clientIp,
      userAgent: scope.userAgent && cut(scope.userAgent, MAX_USER_AGENT),
      methods,
      authenticatedAt,
      multiFactorAt,
      idleSeconds: idleMinutes * 60,
      expiresAt: earlier(later(at, sessionHours * 3_600), notAfter),
      createdAt: at,
      lastSeenAt: at,
      revokedAt: null,
    };
    const { token, save } = this.repository.open(session, inBrowser);
    const view = presentSession(session);
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
      tenant: namedTenant(tenant),
    };
  }

  /** The session that the request came with; null for an API key. */
  async current(): Promise<SessionView | null> {
    const person = personOrNull();
    if (person) return presentPersonalSession(person);
    const { kind, credentialId } = currentPrincipal();
    const session = kind === 'session' ? await this.repository.find(credentialId) : null;
    return session && presentSession(session);
  }

  /** The open sessions of the member that the caller acts for; without a tenant those that have none either. */
  async list(query: PageQuery): Promise<Page<SessionView>> {
    const person = personOrNull();
    const [whose, sessions] = person
      ? [person.userId, (await this.personal.list(person.userId)).map(presentPersonalSession)]
      : await this.ofCaller();
    return pageOfAll(sessions, query, this.cursors, ['sessions', whose]);
  }

  private async ofCaller(): Promise<[string | null, SessionView[]]> {
    const { membershipId } = currentPrincipal();
    const sessions = membershipId === null ? [] : await this.repository.ofMember(membershipId, this.kit.now());
    return [membershipId, sessions.map(presentSession)];
  }

  /** Ends a session: one's own, and with `sessions:revoke` anybody's. @throws Problem 403, 404. */
  async end(id: string): Promise<{ id: string; object: string; deleted: true; deletedAt: string }> {
    const person = personOrNull();
    if (person) {
      if (!(await this.personal.end(person.userId, id))) throw Problem.notFound();
      return { id, object: SESSION_TYPE, deleted: true, deletedAt: this.kit.now() };
    }
    return this.database.transaction(async (transaction) => {
      const session = await this.repository.find(id);
      if (session?.revokedAt !== null) throw Problem.notFound();
      checkPrecondition(FIRST_VERSION);
      if (session.memberId !== currentPrincipal().membershipId) requirePermission('sessions:revoke');
      return { id, object: SESSION_TYPE, deleted: true, deletedAt: this.revoke(transaction, session) };
    });
  }

  /** Ends a session of the tenant in scope, if it is open, in the open transaction. */
  async endOne(transaction: Transaction, id: string): Promise<number> {
    const session = await this.repository.find(id);
    if (session?.revokedAt !== null) return 0;
    this.revoke(transaction, session);
    return 1;
  }

  /** Ends all open sessions of a member of the tenant in scope, in the open transaction. */
  async endAll(transaction: Transaction, memberId: string): Promise<number> {
    const sessions = await this.repository.ofMember(memberId, this.kit.now());
    for (const session of sessions) this.revoke(transaction, session);
    return sessions.length;
  }

  private revoke(transaction: Transaction, session: StoredSession): string {
    const at = this.kit.now();
    this.kit.commits.add(transaction, {
      save: this.repository.revoke(session.id, at),
      event: `${SESSION_TYPE}.revoked`,
      subject: subjectOf(session, FIRST_VERSION + 1),
      before: withoutPlace(presentSession(session)),
      after: withoutPlace(presentSession({ ...session, revokedAt: at })),
      at,
      riskLevel: 'low',
    });
    return at;
  }
}

const earlier = (at: string, bound = at): string => (bound < at ? bound : at);

function subjectOf({ id, name }: StoredSession, version: number) {
  return { type: SESSION_TYPE, id, reference: null, version, url: SESSIONS_PATH, name };
}
