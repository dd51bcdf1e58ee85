import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CredentialRefused, Credentials, TenantRequired } from '#libs/auth/credentials.js';
import { CredentialUses } from '#libs/auth/credential-uses.js';
import { OperatorKeys } from '#libs/auth/operator-keys.js';
import type { PersonalSession } from '#libs/auth/sessions/personal-session.js';
import { bearerOf } from '#libs/auth/strategies.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { AddressLimits } from '#libs/http/address-limits.js';
import type { Callers, RouteOptions } from '#libs/http/route.js';
import { cut } from '#libs/kernel/cut.js';
import { fold } from '#libs/kernel/fold.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { type Actor, currentScope } from '#libs/tenancy/scope.js';
import type { FoundingPerson } from '#libs/tenants/beginnings.js';
import { PresentedSessionsService } from '#src/areas/auth/presented-sessions.service.js';
import type { FoundTenant } from './founding.dto.js';

/** What a 401 says about how to authenticate. */
const CHALLENGE = 'Bearer realm="platform operator"';
const MAX_NAME = 200;

/** The creator of a tenant. */
export interface Founder {
  /** As the audit log of the tenant names them. */
  actor: Actor;
  /** Scope of the idempotency keys. */
  secret: string;
  ownerEmail: string;
  /** The owner; null if an operator creates the tenant for someone. */
  person: FoundingPerson | null;
}

/** Authenticates callers of operations that belong to no tenant. */
@Injectable()
export class FoundersService implements Callers {
  constructor(
    private readonly keys: OperatorKeys,
    private readonly presented: PresentedSessionsService,
    private readonly credentials: Credentials,
    private readonly uses: CredentialUses,
    private readonly addresses: AddressLimits,
    @Inject(SETTINGS_TOKEN) private readonly settings: Pick<Settings, 'SELF_SERVICE_PLANS'>,
  ) {}

  /** @throws Problem 401, 403, 429 for callers who are neither an operator nor, where people may call, a person. */
  async admit(request: FastifyRequest, { securitySchemes = [] }: RouteOptions): Promise<void> {
    const { authorization } = request.headers;
    if (securitySchemes.length === 1) await this.operator(authorization);
    else if (!(await this.operatorOrNull(authorization))) await this.personOf(request);
  }

  /** The operator whose key the `Authorization` header has. @throws Problem 401; 429 when the address has failed too often. */
  async operator(authorization: string | undefined): Promise<{ actor: Actor }> {
    return (await this.operatorOrNull(authorization)) ?? this.refuse('This requires an operator key.');
  }

  /**
   * The creator of a tenant: an operator for someone else, or a person without a tenant for themselves.
   * @throws Problem 400 without an owner; 401; 403 if the person may not create this tenant; 429.
   */
  async founder(request: FastifyRequest, { ownerEmail, plan }: FoundTenant): Promise<Founder> {
    const { authorization } = request.headers;
    const operator = await this.operatorOrNull(authorization);
    if (operator) return { ...operator, secret: authorization!, ownerEmail: mustBeSaid(ownerEmail), person: null };
    const person = await this.personOf(request);
    if (!this.settings.SELF_SERVICE_PLANS.includes(plan)) throw this.notForPeople();
    const { id, userId, email } = person;
    if (email === null) throw forbidden('The identity provider has not verified an address of yours.');
    if (ownerEmail !== undefined && fold(ownerEmail) !== fold(email))
      throw forbidden('You become the owner of the tenant that you create: omit ownerEmail or send your own address.');
    const membershipId = uuidv7();
    const name = cut(person.name ?? email.split('@')[0]!, MAX_NAME);
    const actor: Actor = { type: 'member', id: membershipId, name };
    return { actor, secret: id, ownerEmail: email, person: { membershipId, userId, name } };
  }

  private async operatorOrNull(authorization: string | undefined): Promise<{ actor: Actor } | null> {
    const text = bearerOf(authorization);
    const key = text === null ? null : await this.keys.find(text);
    return key && { actor: { type: 'system', id: key.id, name: `operator key ${key.name}` } };
  }

  /** The person of a session without a tenant. @throws Problem 401, 403, 429. */
  private async personOf(request: FastifyRequest): Promise<PersonalSession> {
    const token = await this.presented.of(request);
    if (token === null) return this.refuse('This requires an operator key or a session without a tenant.');
    try {
      const { kind } = await this.credentials.acceptAnew(token, request.scope.clientIp ?? '');
      if (kind !== 'session') return this.refuse('API keys cannot create tenants.');
    } catch (error) {
      if (error instanceof TenantRequired) return this.letIn(error.session, request.scope.clientIp ?? '');
      if (error instanceof CredentialRefused) return this.refuse(error.problem.detail);
      throw error;
    }
    throw forbidden('This requires a session without a tenant.');
  }

  private async letIn(session: PersonalSession, ip: string): Promise<PersonalSession> {
    const limited = await this.addresses.count(ip, 'unauthenticated');
    if (limited) throw limited;
    this.uses.note({ credentialId: session.id, membershipId: null, tenant: null }, ip);
    return session;
  }

  private async refuse(detail: string): Promise<never> {
    const limited = await this.addresses.count(currentScope().clientIp ?? '', 'failed');
    throw limited ?? new Problem('unauthenticated', detail, { headers: { 'www-authenticate': CHALLENGE } });
  }

  private notForPeople(): Problem {
    const plans = this.settings.SELF_SERVICE_PLANS;
    if (plans.length === 0) return forbidden('Only operators can create tenants here.');
    return forbidden(`You can create tenants of these plans: ${plans.join(', ')}.`);
  }
}

function mustBeSaid(ownerEmail: string | undefined): string {
  if (ownerEmail !== undefined) return ownerEmail;
  const error = { pointer: '/ownerEmail', code: 'required', detail: 'An operator must name the owner.' };
  throw new Problem('validation_failed', error.detail, { errors: [error] });
}

function forbidden(detail: string): Problem {
  return new Problem('permission_denied', detail);
}
