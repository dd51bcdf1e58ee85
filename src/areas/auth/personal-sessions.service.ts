import { Injectable } from '@nestjs/common';
import { SignInRefused, type ProvenPerson } from '#libs/auth/oidc/id-tokens.js';
import { type PersonalSession, presentPersonal } from '#libs/auth/sessions/personal-session.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Clock } from '#libs/kernel/clock.js';
import { cut } from '#libs/kernel/cut.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { PeopleRepository } from './people.repository.js';
import { SessionsRepository } from './sessions.repository.js';

const OF_PERSON = `select * from directory.personal_sessions_of($1, $2)`;
const END = `select directory.end_personal_sessions($1, $2, $3) as count`;
const HOURS = 12;
const IDLE_MINUTES = 60;
const MAX_USER_AGENT = 500;

/** Sessions without a tenant: they identify a person and grant no rights in any tenant. */
@Injectable()
export class PersonalSessionsService {
  constructor(
    private readonly sessions: SessionsRepository,
    private readonly people: PeopleRepository,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Opens a session in a browser for a verified ID token, and marks the token as used. @throws SignInRefused */
  async open(person: ProvenPerson, userId: string): Promise<{ token: string; expiresAt: string }> {
    const { hash, expiresAt: until } = person.token;
    if (!(await this.people.useOnce(hash, until))) throw new SignInRefused('token_used');
    const scope = currentScope();
    const at = this.clock.now().toISOString();
    const expiresAt = new Date(Date.parse(at) + HOURS * 3_600_000).toISOString();
    const { token, save } = this.sessions.open(
      {
        id: uuidv7(),
        userId,
        memberId: null,
        name: person.name ?? person.email ?? person.subject,
        ip: scope.clientIp,
        userAgent: scope.userAgent && cut(scope.userAgent, MAX_USER_AGENT),
        methods: person.methods,
        authenticatedAt: person.authenticatedAt,
        multiFactorAt: person.multiFactorAt,
        idleSeconds: IDLE_MINUTES * 60,
        expiresAt,
        createdAt: at,
        lastSeenAt: at,
        revokedAt: null,
      },
      true,
    );
    await this.database.system([save]);
    return { token, expiresAt };
  }

  /** The open ones of a person, the newest first. */
  async list(userId: string): Promise<PersonalSession[]> {
    const [answer] = await this.database.system([statement(OF_PERSON, [userId, this.now()])]);
    return answer!.rows.map(presentPersonal);
  }

  /** Ends one. @returns whether there was one to end. */
  async end(userId: string, id: string): Promise<boolean> {
    return (await this.revoke(userId, id)) === 1;
  }

  /** Ends all of a person. @returns how many. */
  endAll(userId: string): Promise<number> {
    return this.revoke(userId, null);
  }

  private async revoke(userId: string, id: string | null): Promise<number> {
    const [answer] = await this.database.system([statement(END, [userId, id, this.now()])]);
    return answer!.rows[0]!['count'] as number;
  }

  private now(): string {
    return this.clock.now().toISOString();
  }
}
