import { Injectable } from '@nestjs/common';
import { CredentialRefused, Credentials, TenantRequired } from '#libs/auth/credentials.js';
import { IdTokens, SignInRefused } from '#libs/auth/oidc/id-tokens.js';
import type { Principal } from '#libs/auth/principal.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { type KnownPerson, PeopleRepository } from './people.repository.js';
import type { SignInProof } from './sessions.repository.js';

/** Proof of identity: an ID token, or a session of any tenant. */
export interface Introduction {
  idToken?: string | undefined;
  nonce?: string | undefined;
  /** The token of a session. */
  session?: string | null;
}

/** A person with proven identity, who may have no membership. */
export interface Newcomer {
  /** Verified by the identity provider; null if it is not. */
  email: string | null;
  name: string | null;
  proof: SignInProof;
  /** User id, valid across all tenants; marks the ID token, if any, as used. @throws SignInRefused */
  enter(transaction: Transaction): Promise<string>;
}

/** Identifies people before they are members of a tenant. */
@Injectable()
export class NewcomersService {
  constructor(
    private readonly idTokens: IdTokens,
    private readonly credentials: Credentials,
    private readonly people: PeopleRepository,
    private readonly clock: Clock,
  ) {}

  /** Not inside a transaction. @throws SignInRefused; Problem 503 */
  async identify({ idToken, nonce, session = null }: Introduction): Promise<Newcomer> {
    if (idToken !== undefined) return this.byToken(idToken, nonce ?? null);
    if (session === null) throw new SignInRefused('no_proof', 'An ID token or a session is required.');
    return this.bySession(session);
  }

  private async byToken(idToken: string, nonce: string | null): Promise<Newcomer> {
    const person = await this.idTokens.verify(idToken, nonce);
    const { email, name } = person;
    return {
      email,
      name,
      proof: person,
      enter: async (transaction) => {
        if (!(await this.people.useToken(transaction, person)))
          throw new SignInRefused('token_used', 'The ID token has already been used.');
        return this.people.keep(transaction, person, this.clock.now().toISOString());
      },
    };
  }

  private async bySession(text: string): Promise<Newcomer> {
    const person = await this.personOf(text);
    return { email: person.email, name: person.name, proof: person, enter: () => Promise.resolve(person.userId) };
  }

  private async personOf(text: string): Promise<KnownPerson> {
    try {
      const { kind, credentialId } = await this.accept(text);
      if (kind !== 'session') throw new SignInRefused('wrong_kind', 'The credential is not a session.');
      return await this.people.ofSession(credentialId);
    } catch (error) {
      if (error instanceof SignInRefused && error.cause instanceof TenantRequired) return error.cause.session;
      throw error;
    }
  }

  /** Which of the session cookies of a browser counts; null without one. */
  chosen(cookies: readonly string[]): Promise<string | null> {
    return this.credentials.chosen(cookies, currentScope().clientIp ?? '');
  }

  /** The person of a credential, read from the directory. @throws SignInRefused if it is no longer valid. */
  async accept(text: string): Promise<Principal> {
    try {
      return await this.credentials.acceptAnew(text, currentScope().clientIp ?? '');
    } catch (error) {
      if (error instanceof CredentialRefused) throw new SignInRefused(error.reason, error.problem.detail, error);
      throw error;
    }
  }
}
