import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { AllowedAddresses } from '#libs/kernel/network.js';
import { Problem } from '#libs/kernel/problem.js';
import { runInScope, Scope, StaleTenantFacts, type TenantFacts } from '#libs/tenancy/scope.js';
import { parseKey, recognisableKeyId, sameHash, type PresentedKey } from './api-key.js';
import { Authorities, type Standing } from './authority.js';
import { type Delegation, delegationOf, delegationStatement } from './delegation.js';
import { PermissionSet } from './permissions.js';
import type { Principal } from './principal.js';
import { ConfinedRights, MemberRights } from './rights.js';
import { type PersonalSession, personalSessionOf, personalSessionStatement } from './sessions/personal-session.js';
import { isIdle, sessionStateOf, sessionStateStatement, type SessionState } from './sessions/session-state.js';

const LOOK_UP = `select * from directory.authenticate($1)`;
const KEY_OF = `select key_id from directory.api_keys($1)`;
const SERVICE = `select service from directory.service_of($1)`;
const OWN_LIMITS = `select reads_per_minute as read, writes_per_minute as write from directory.limits_of_key($1)`;
const MAKER = `select directory.maker_of($1) as maker`;
/** A look-up is repeated when the tenant changed between its two statements. */
const MAX_LOOK_UPS = 20;

interface CredentialRow {
  credential_id: string;
  kind: Principal['kind'];
  lineage_id: string;
  name: string;
  member_id: string | null;
  secret_hash: Buffer;
  scopes: string[];
  allow_protected: boolean;
  allowed_cidrs: string[];
  expires_at: string | null;
  revoked_at: string | null;
  tenant_id: string;
  slug: string;
  plan: string;
  currency: string;
  reads_per_minute: number;
  writes_per_minute: number;
  epoch: number;
}

/** Whether requests of a tenant are served. A suspended tenant can be reopened, a closed one cannot. */
type Service = 'open' | 'suspended' | 'closed';

interface Known {
  principal: Principal;
  hash: Buffer;
  expiresAtMs: number;
  revoked: boolean;
  /** Why the member is refused; null for an active member and for a service key. */
  barred: string | null;

  service: Service;
  /** Null unless the credential is a session. */
  session: SessionState | null;
  /** Allowed addresses, from its own list and the tenant's list. */
  addresses: AllowedAddresses[];
}

/**
 * The refusal of a credential. `known` is the principal it claims to be, for the audit log only, never for the
 * response. A malformed text is refused without a look-up; `claims` is the key id in it, see
 * {@link Credentials.claimed}.
 */
export class CredentialRefused extends Error {
  constructor(
    readonly problem: Problem,
    readonly reason: string,
    readonly known: Principal | null = null,
    readonly claims: string | null = null,
  ) {
    super(reason);
  }
}

/** The refusal of a session without a tenant, which is valid only for routes that require no tenant. */
export class TenantRequired extends CredentialRefused {
  constructor(readonly session: PersonalSession) {
    super(
      new Problem('tenant_required', 'The session has no tenant yet. Choose one with POST /api/auth/switch-tenant.'),
      'tenant_required',
    );
  }
}

const unauthenticated = (reason: string, known: Principal | null = null, claims: string | null = null) =>
  new CredentialRefused(
    new Problem('unauthenticated', 'The credential is missing or not valid.'),
    reason,
    known,
    claims,
  );

/**
 * Verifies credentials.
 *
 * Keys are cached per process. No time limit is needed: with each request's first statement, PostgreSQL compares the
 * tenant's epoch, which every change of a key or plan raises. When the cached epoch is outdated, the key is looked up
 * again (ADR 0005). Expiry and IP address are checked on every request.
 */
@Injectable()
export class Credentials {
  private readonly cache = new LRUCache<string, Known>({ max: 10_000 });

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly authorities: Authorities,
  ) {}

  /** @throws CredentialRefused */
  async accept(text: string, clientIp: string): Promise<Principal> {
    const presented = parseKey(text);
    if (!presented) throw unauthenticated('malformed', null, recognisableKeyId(text));
    const remembered = this.cache.get(presented.keyId);
    if (!remembered) return this.acceptUnknown(presented, clientIp);
    try {
      return this.check(presented, remembered, clientIp);
    } catch {
      // A refused request runs no statement that would compare the epoch, so a cached entry may only accept, never
      // refuse.
      return this.check(presented, await this.lookUp(presented.keyId), clientIp);
    }
  }

  /** As {@link accept}, but reads the directory even if the key is cached. @throws CredentialRefused */
  async acceptAnew(text: string, clientIp: string): Promise<Principal> {
    const presented = parseKey(text);
    if (!presented) throw unauthenticated('malformed', null, recognisableKeyId(text));
    return this.acceptUnknown(presented, clientIp);
  }

  /**
   * Which of several session tokens counts: the first valid one, else the first that looks like a token, which is then
   * refused. Only several of them are looked up.
   */
  async chosen(texts: readonly string[], clientIp: string): Promise<string | null> {
    const tokens = texts.filter((text) => parseKey(text)?.kind === 'session');
    if (tokens.length > 1) for (const token of tokens) if (await this.isValid(token, clientIp)) return token;
    return tokens[0] ?? texts[0] ?? null;
  }

  private async isValid(text: string, clientIp: string): Promise<boolean> {
    try {
      await this.acceptAnew(text, clientIp);
      return true;
    } catch (error) {
      if (!(error instanceof CredentialRefused)) throw error;
      return error.problem.status !== 401;
    }
  }

  private async acceptUnknown(presented: PresentedKey, clientIp: string): Promise<Principal> {
    const known = await this.lookUp(presented.keyId);
    if (!known && presented.kind === 'session') await this.refuseWithoutTenant(presented);
    return this.check(presented, known, clientIp);
  }

  /** @throws TenantRequired for a valid session without a tenant. */
  private async refuseWithoutTenant({ keyId, hash }: PresentedKey): Promise<void> {
    const [answer] = await this.database.system([personalSessionStatement(keyId)]);
    const found = personalSessionOf(answer!.rows);
    if (found && sameHash(hash, found.secretHash) && found.isOpen(this.clock.nowMs()))
      throw new TenantRequired(found.session);
  }

  /** The principal of a key as read from the directory inside the open transaction; null when it is no longer valid. */
  async standing(keyId: string): Promise<Principal | null> {
    const [row] = await this.database.read<CredentialRow>(statement(LOOK_UP, [keyId]));
    if (!row) return null;
    const state = sessionStateOf(await this.database.read(sessionStateStatement(keyId)));
    const service = serviceOf(await this.database.read(statement(SERVICE, [keyId])));
    const delegation = delegationOf(await this.database.read(delegationStatement(keyId)));
    const ownLimits = ownLimitsOf(await this.database.read(statement(OWN_LIMITS, [keyId])));
    const makerId = makerOf(await this.database.read(statement(MAKER, [keyId])));
    const particulars = { state, service, delegation, ownLimits, makerId };
    const known = remember(keyId, row, await this.standingOf(row), particulars);
    const { principal, revoked, barred, expiresAtMs } = known;
    // An access token expires within minutes, but a request made with it may wait for approval as long as its grant is valid.
    const isExpired = delegation === null && expiresAtMs <= this.clock.nowMs();
    const isOver = revoked || barred !== null || isExpired || delegation?.isSuspended === true;
    return isOver || service !== 'open' ? null : principal;
  }

  /** As {@link standing}, for the newest secret of an API key, which is identified by its lineage. */
  async standingOfKey(lineageId: string): Promise<Principal | null> {
    const [row] = await this.database.read<{ key_id: string }>(statement(KEY_OF, [lineageId]));
    return row ? this.standing(row.key_id) : null;
  }

  private check(presented: PresentedKey, known: Known | null, clientIp: string): Principal {
    if (!known) throw unauthenticated('unknown_key');
    const { principal } = known;
    if (!sameHash(presented.hash, known.hash) || principal.kind !== presented.kind)
      throw unauthenticated('wrong_secret', principal);
    if (known.revoked) throw unauthenticated('revoked', principal);
    if (known.expiresAtMs <= this.clock.nowMs()) throw unauthenticated('expired', principal);
    if (known.barred !== null) throw unauthenticated(known.barred, principal);
    if (principal.delegation?.isSuspended) throw unauthenticated('client_suspended', principal);
    if (known.service === 'closed') throw unauthenticated('tenant_closed', principal);
    if (known.service === 'suspended') {
      const problem = new Problem('tenant_suspended', 'The tenant is suspended. Contact the operator of the platform.');
      throw new CredentialRefused(problem, 'tenant_suspended', principal);
    }
    if (known.addresses.some((each) => !each.has(clientIp))) {
      const problem = new Problem('ip_not_allowed', 'The credential may not be used from this IP address.');
      throw new CredentialRefused(problem, 'ip_not_allowed', principal);
    }
    if (known.session) this.noteUse(known.session, principal);
    return principal;
  }

  private noteUse(session: SessionState, principal: Principal): void {
    const now = this.clock.nowMs();
    if (isIdle(session, now)) throw unauthenticated('idle', principal);
    session.lastSeenMs = now;
  }

  /** The principal whose key id a refused text contains; null when there is none. */
  async claimed(keyId: string): Promise<Principal | null> {
    return (this.cache.get(keyId) ?? (await this.lookUp(keyId)))?.principal ?? null;
  }

  private async lookUp(keyId: string): Promise<Known | null> {
    for (let tries = 1; ; tries++) {
      const [answer, state, service, delegation, limits, maker] = await this.database.system([
        statement(LOOK_UP, [keyId]),
        sessionStateStatement(keyId),
        statement(SERVICE, [keyId]),
        delegationStatement(keyId),
        statement(OWN_LIMITS, [keyId]),
        statement(MAKER, [keyId]),
      ]);
      const row = answer!.rows[0] as CredentialRow | undefined;
      if (!row) {
        this.cache.delete(keyId);
        return null;
      }
      try {
        const known = remember(keyId, row, await this.standingWhile(row), {
          state: sessionStateOf(state!.rows),
          service: serviceOf(service!.rows),
          delegation: delegationOf(delegation!.rows),
          ownLimits: ownLimitsOf(limits!.rows),
          makerId: makerOf(maker!.rows),
        });
        this.cache.set(keyId, known);
        return known;
      } catch (error) {
        if (!(error instanceof StaleTenantFacts) || tries === MAX_LOOK_UPS) throw error;
      }
    }
  }

  /**
   * The standing of a credential's holder. @throws StaleTenantFacts when the tenant has changed since `row` was read.
   */
  private standingWhile(row: CredentialRow): Promise<Standing> {
    const scope = new Scope(uuidv7());
    scope.tenant = factsOf(row);
    scope.refresh = () => Promise.reject(new StaleTenantFacts());
    return runInScope(scope, () => this.standingOf(row));
  }

  private standingOf({ member_id: membershipId, credential_id: id, lineage_id: lineageId }: CredentialRow) {
    return this.authorities.read(membershipId, [id, lineageId]);
  }
}

/** The result of {@link SERVICE} for an existing credential. */
function serviceOf([row]: readonly object[]): Service {
  return (row as { service: Service } | undefined)?.service ?? 'closed';
}

/** The result of {@link MAKER}. */
function makerOf([row]: readonly object[]): string | null {
  return (row as { maker: string | null } | undefined)?.maker ?? null;
}

function factsOf(row: CredentialRow): TenantFacts {
  return {
    id: row.tenant_id,
    slug: row.slug,
    plan: row.plan,
    currency: row.currency,
    epoch: String(row.epoch),
  };
}

/** The result of {@link OWN_LIMITS}. */
function ownLimitsOf([row]: readonly object[]): Principal['ownLimits'] {
  return (row as Principal['ownLimits'] | undefined) ?? { read: null, write: null };
}

/** Results of the other statements of a look-up. */
interface Particulars {
  state: SessionState | null;
  service: Service;
  delegation: Delegation | null;
  ownLimits: Principal['ownLimits'];
  makerId: string | null;
}

function remember(
  keyId: string,
  row: CredentialRow,
  { status, grants, authority, rules }: Standing,
  { state: session, service, delegation, ownLimits, makerId }: Particulars,
): Known {
  const scopes = new PermissionSet(row.scopes);
  const rights = row.member_id === null ? scopes : new MemberRights(scopes, grants);
  return {
    hash: row.secret_hash,
    expiresAtMs: row.expires_at ? Date.parse(row.expires_at) : Infinity,
    revoked: row.revoked_at !== null,
    service,
    session,
    barred: status === null || status === 'active' ? null : `membership_${status}`,
    addresses: [row.allowed_cidrs, rules.ipAllowList].flatMap((list) =>
      list.length > 0 ? [new AllowedAddresses(list)] : [],
    ),
    principal: {
      credentialId: row.credential_id,
      keyId,
      kind: row.kind,
      lineageId: row.lineage_id,
      name: row.name,
      membershipId: row.member_id,
      makerId,
      scopes: row.scopes,
      networks: row.allowed_cidrs,
      permissions: authority.confinedTo === null ? rights : new ConfinedRights(rights),
      authority,
      allowProtected: row.allow_protected,
      multiFactorAt: session?.multiFactorAt ?? null,
      signIn: session ?? delegation?.signIn ?? null,
      delegation,
      switchedOff: rules.switchedOff,
      tenant: factsOf(row),
      limits: { read: row.reads_per_minute, write: row.writes_per_minute },
      ownLimits,
    },
  };
}
