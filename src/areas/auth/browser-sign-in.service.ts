import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CodeFlow } from '#libs/auth/oidc/code-flow.js';
import { IdTokens, type ProvenPerson, SignInRefused } from '#libs/auth/oidc/id-tokens.js';
import { Database } from '#libs/database/database.js';
import { AddressLimits } from '#libs/http/address-limits.js';
import { PublicUrl } from '#libs/http/public-url.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { elsewhere } from '#libs/tenancy/elsewhere.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { attemptName, type BrowserCookies, type Departure, SignInCookies } from './sign-in-cookies.js';
import type { LoginQuery } from './browser.dto.js';
import { pathOfOurs } from './paths.js';
import { PeopleRepository } from './people.repository.js';
import { PersonalSessionsService } from './personal-sessions.service.js';
import { RefusalsService } from './refusals.service.js';
import { type NamedTenant, SessionsRepository } from './sessions.repository.js';
import { ATTEMPT_SECONDS, type Attempt, SignInPapers } from './sign-in-papers.js';
import { SignInService } from './sign-in.service.js';
import { StepUpService } from './step-up.service.js';

const CALLBACK = '/api/auth/callback';
/** Maximum number of unfinished sign-ins per browser. */
const MAX_ATTEMPTS = 5;

/** The cookies for the browser; no token if the session belongs to an app. */
interface Session {
  token: string | null;
  expiresAt: string;
}

/**
 * Browser sign-in: redirects to the identity provider, which returns a code that is exchanged for the ID token.
 * The values to check the response (state, nonce, verifier) are encrypted in a cookie, so the response is useless in
 * another browser. A state can be used once.
 */
@Injectable()
export class BrowserSignInService {
  constructor(
    private readonly flow: CodeFlow,
    private readonly idTokens: IdTokens,
    private readonly papers: SignInPapers,
    private readonly cookies: SignInCookies,
    private readonly signIns: SignInService,
    private readonly stepUps: StepUpService,
    private readonly personal: PersonalSessionsService,
    private readonly refusals: RefusalsService,
    private readonly tenants: SessionsRepository,
    private readonly people: PeopleRepository,
    private readonly url: PublicUrl,
    private readonly addresses: AddressLimits,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Sends the browser to the provider. @throws Problem 400, 404, 429, 503. */
  async begin({ tenant, returnTo, fresh = false, stepUp }: LoginQuery, brought: BrowserCookies): Promise<Departure> {
    await this.limit();
    const asked = stepUp === undefined ? null : await this.papers.read('step-up', stepUp);
    if (stepUp !== undefined && !asked) throw failed('The link to sign in again has expired or is invalid.');
    const errand = asked ?? { tenant: tenant ?? null, returnTo: pathOfOurs(returnTo), session: null };
    const { url, checks } = await this.flow.begin(this.url.to(CALLBACK), fresh || asked !== null);
    const attempt: Attempt = { ...checks, ...errand, startedMs: this.clock.nowMs() };
    const paper = await this.papers.write('attempt', attempt);
    const cookie = this.cookies.attempt(attemptName(checks.state), paper, ATTEMPT_SECONDS);
    const forgotten = (await this.supernumerary(brought)).map((name) => this.cookies.noAttempt(name));
    return { location: url, cookies: [cookie, ...forgotten] };
  }

  /** Processes the response of the provider from the browser. @throws Problem 400, 401, 404, 429, 503. */
  async finish(search: string, brought: BrowserCookies): Promise<Departure> {
    await this.limit();
    const answer = new URL(this.url.to(CALLBACK + search));
    const name = attemptName(answer.searchParams.get('state') ?? '');
    const attempt = await this.attemptOf(name, brought);
    if (attempt?.state !== answer.searchParams.get('state')) throw notBegun();
    const tenant = attempt.tenant === null ? null : await this.tenants.tenant(attempt.tenant);
    const { token, expiresAt } = await this.refusals.guard<Session>(tenant, async (identified) => {
      await this.flow.refuseForeign(answer);
      if (!(await this.people.useOnce(hash('sha256', attempt.state, 'buffer'), this.expiryOf(attempt))))
        throw failed('This response of the identity provider has already been used. Start again.');
      const person = identified(await this.idTokens.verify(await this.flow.finish(answer, attempt), attempt.nonce));
      if (attempt.session !== null) return this.stepUps.renew(person, attempt, tenant, brought.sessions);
      return this.enter(person, attempt.tenant, tenant);
    });
    const session = token === null ? [] : [this.cookies.session(token, expiresAt)];
    return { location: this.url.to(attempt.returnTo), cookies: [...session, this.cookies.noAttempt(name)] };
  }

  private async attemptOf(name: string, { attempts }: BrowserCookies): Promise<Attempt | null> {
    const paper = attempts.get(name);
    return paper === undefined ? null : this.papers.read('attempt', paper);
  }

  /** The sign-ins to drop before a new one, which limits the number of cookies: expired ones first, then the oldest. */
  private async supernumerary(brought: BrowserCookies): Promise<string[]> {
    const names = [...brought.attempts.keys()];
    if (names.length < MAX_ATTEMPTS) return [];
    const begun = await Promise.all(
      names.map(async (name) => ({ name, ms: (await this.attemptOf(name, brought))?.startedMs ?? 0 })),
    );
    return begun
      .sort((a, b) => b.ms - a.ms)
      .slice(MAX_ATTEMPTS - 1)
      .map(({ name }) => name);
  }

  /** Signs in to the given tenant, or to the person's only tenant, or without a tenant. */
  private async enter(person: ProvenPerson, slug: string | null, named: NamedTenant | null) {
    if (slug !== null && !named) throw new SignInRefused('no_tenant');
    const userId = await this.people.know(person);
    const tenant = named ?? (await this.onlyTenantOf(userId));
    if (!tenant) return this.personal.open(person, userId);
    return elsewhere(
      tenant,
      () => this.tenants.tenant(tenant.slug),
      () =>
        this.database.transaction((transaction) =>
          this.signIns.enter(transaction, { person, tenant, inBrowser: true }),
        ),
    );
  }

  private async onlyTenantOf(userId: string): Promise<NamedTenant | null> {
    const [tenant, another] = await this.people.tenantsOf(userId);
    return another ? null : (tenant ?? null);
  }

  private async limit(): Promise<void> {
    const limited = await this.addresses.count(currentScope().clientIp ?? '', 'signIn');
    if (limited) throw limited;
  }

  private expiryOf({ startedMs }: Attempt): string {
    return new Date(startedMs + 2 * ATTEMPT_SECONDS * 1_000).toISOString();
  }
}

const notBegun = () => failed('The sign-in was started in another browser or has expired. Start again.');

function failed(detail: string): Problem {
  return new Problem('sign_in_failed', detail);
}
