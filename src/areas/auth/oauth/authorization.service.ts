import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { currentPrincipal, refusalOf, requireAll } from '#libs/auth/current-principal.js';
import type { OauthClient } from '#libs/auth/oauth-clients.js';
import type { Permission } from '#libs/auth/permissions.js';
import type { Transaction } from '#libs/database/transaction.js';
import { AddressLimits } from '#libs/http/address-limits.js';
import { PublicUrl } from '#libs/http/public-url.js';
import { Clock } from '#libs/kernel/clock.js';
import { isUuid, uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { Grants } from '#libs/members/grants.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { PeopleRepository } from '../people.repository.js';
import { later } from '../session-views.js';
import { type AskedConsent, ATTEMPT_SECONDS, SignInPapers } from '../sign-in-papers.js';
import { TenantSwitchService } from '../tenant-switch.service.js';
import { answerUrl, type AuthorizationRequest, authorizationRequest, isRegistered } from './authorization-request.js';
import type { Consent } from './consent-page.js';
import { OauthError } from './oauth-error.js';
import type { ConsentForm } from './oauth.models.js';
import { CODE_SECONDS, type CodeTerms, OauthRepository } from './oauth.repository.js';
import { type Visitor, VisitorsService } from './visitors.service.js';

const PATH = '/api/auth/oauth/authorize';
/** The longest `returnTo` that the sign-in accepts. */
const MAX_LENGTH = 2_000;

/** The response to the browser: the consent page or a redirect. */
export type Step = { consent: Consent } | { location: string };

/** The verified client and redirect URI; without them the browser must not be redirected. */
interface Asker {
  client: OauthClient;
  redirectUri: string;
}

/** Asks users for consent to delegated access. */
@Injectable()
export class AuthorizationService {
  constructor(
    private readonly repository: OauthRepository,
    private readonly visitors: VisitorsService,
    private readonly papers: SignInPapers,
    private readonly people: PeopleRepository,
    private readonly switches: TenantSwitchService,
    private readonly grants: Grants,
    private readonly addresses: AddressLimits,
    private readonly url: PublicUrl,
    private readonly clock: Clock,
  ) {}

  /** Shows the consent page, or redirects to the sign-in first. @throws Problem 400, 403, 429. */
  async ask(search: string, cookies: readonly string[]): Promise<Step> {
    const limited = await this.addresses.count(currentScope().clientIp ?? '', 'unauthenticated');
    if (limited) throw limited;
    if (PATH.length + search.length > MAX_LENGTH) throw refused('The request from the app is too long.');
    const query = new URLSearchParams(search);
    const asker = await this.askerOf(query);
    return this.telling(asker, query, async (request) => {
      const visitor = await this.visitors.at(cookies);
      if (!visitor) return { location: this.ours('/api/auth/login', { returnTo: PATH + search }) };
      return { consent: await this.consentOf(visitor, asker, request, search) };
    });
  }

  /** Processes the decision sent by the consent page. @throws Problem 400, 403, 404. */
  async decide({ request: paper, decision, tenant }: ConsentForm, reply: FastifyReply): Promise<string> {
    const asked = await this.papers.read('consent', paper);
    if (asked?.session !== this.visitors.caller().session)
      throw refused('This page has expired or belongs to another session. Return to the app and start again.');
    if (decision === 'switch') {
      await this.switches.inBrowser({ tenantSlug: tenant ?? '' }, reply);
      return this.url.to(PATH + asked.search);
    }
    const query = new URLSearchParams(asked.search);
    const asker = await this.askerOf(query);
    const { location } = await this.telling(asker, query, async (request) => {
      if (decision === 'deny') throw new OauthError('access_denied', 'The user denied access.');
      return { location: await this.allow(asker, request, asked) };
    });
    return location;
  }

  /** The client and its registered redirect URI. @throws Problem 400, shown to the user. */
  private async askerOf(query: URLSearchParams): Promise<Asker> {
    const [id, another] = query.getAll('client_id');
    const client = id !== undefined && another === undefined && isUuid(id) ? await this.repository.client(id) : null;
    if (!client) throw refused('This app is not registered.');
    if (client.suspendedAt !== null) throw refused('This app is suspended.');
    const [redirectUri, secondUri] = query.getAll('redirect_uri');
    if (redirectUri === undefined || secondUri !== undefined || !isRegistered(client, redirectUri))
      throw refused('The redirect address of this app is not registered.');
    return { client, redirectUri };
  }

  /** Reports OAuth errors to the client through a redirect. */
  private async telling<T>(
    { client, redirectUri }: Asker,
    query: URLSearchParams,
    work: (request: AuthorizationRequest) => Promise<T>,
  ): Promise<T | { location: string }> {
    try {
      return await work(authorizationRequest(query, client));
    } catch (error) {
      if (!(error instanceof OauthError)) throw error;
      const [state, another] = query.getAll('state');
      const answer = { error: error.code, error_description: error.description };
      const told = { state: another === undefined && state ? state : null, issuer: this.url.origin };
      return { location: answerUrl(redirectUri, answer, told) };
    }
  }

  private async consentOf(
    visitor: Visitor,
    { client, redirectUri }: Asker,
    { permissions }: AuthorizationRequest,
    search: string,
  ): Promise<Consent> {
    const { person, tenants } = await this.visitors.describe(visitor);
    const member = 'member' in visitor ? visitor.member : null;
    if (member) {
      const refusal = refusalOf(member, { factorAtMs: this.clock.nowMs() });
      if (refusal) throw refusal;
    }
    const isHeld = (permission: Permission): boolean => member?.permissions.has(permission) ?? false;
    const granted = permissions.filter(isHeld);
    const asked = { session: visitor.session, search, permissions: granted, nonce: uuidv7() };
    return {
      client,
      redirectUri,
      person: [person.name, person.email && `(${person.email})`].filter(Boolean).join(' '),
      tenant: tenants.find(({ id }) => id === member?.tenant.id) ?? null,
      tenants,
      granted,
      beyond: permissions.filter((each) => !isHeld(each)),
      paper: await this.papers.write('consent', asked),
    };
  }

  /**
   * Grants the permissions shown on the page that the member still has. A page that is sent again at once, such as by a
   * double click, gets another code of the same grant, because the browser shows only the last response.
   * @returns the redirect URI with the code.
   */
  private async allow({ client, redirectUri }: Asker, request: AuthorizationRequest, asked: AskedConsent) {
    if ('person' in this.visitors.caller()) throw new Problem('tenant_required', 'Choose a tenant first.');
    await requireAll([{ factorAtMs: this.clock.nowMs() }]);
    const code = await this.grants.objects.unit(async (transaction) => {
      const at = this.grants.objects.now();
      const token = { hash: hash('sha256', asked.nonce, 'buffer'), expiresAt: later(at, 2 * ATTEMPT_SECONDS) };
      const terms = { id: asked.nonce, challenge: request.challenge, redirectUri };
      if (!(await this.people.useToken(transaction, { token }))) return this.anotherCode(transaction, terms, at);
      const { membershipId, permissions, signIn } = currentPrincipal();
      const scopes = asked.permissions.filter((each) => permissions.has(each));
      if (scopes.length === 0) throw new OauthError('access_denied', 'The user has none of the requested permissions.');
      const opened = this.repository.open({ ...terms, clientId: client.id }, signIn!, at);
      transaction.write(opened.save);
      this.grants.objects.add(transaction, {
        id: terms.id,
        clientId: client.id,
        clientName: client.name,
        membershipId: membershipId!,
        scopes,
        revokedAt: null,
      });
      return opened.code;
    });
    return answerUrl(redirectUri, { code }, { state: request.state, issuer: this.url.origin });
  }

  private async anotherCode(transaction: Transaction, terms: CodeTerms, at: string): Promise<string> {
    const grant = await this.grants.rows.lock(transaction, terms.id);
    if (grant?.revokedAt !== null || later(grant.createdAt, CODE_SECONDS) < at)
      throw refused('This page has already been submitted. Return to the app and start again.');
    const { code, save } = this.repository.addCode(terms, at);
    transaction.write(save);
    return code;
  }

  private ours(path: string, query: Record<string, string>): string {
    return this.url.to(`${path}?${new URLSearchParams(query).toString()}`);
  }
}

function refused(detail: string): Problem {
  return new Problem('bad_request', detail);
}
