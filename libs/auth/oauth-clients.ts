import { OperatorError } from '#libs/config/operator-error.js';
import type { Database } from '#libs/database/database.js';
import type { Row } from '#libs/database/flights/flight.js';
import { statement } from '#libs/database/statement.js';
import type { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { generateClientSecret } from './api-key.js';

/** A partner. Clients belong to no tenant. */
export interface OauthClient {
  id: string;
  name: string;
  /** Allowed redirect URIs, compared exactly, except for the port of a loopback address. */
  redirectUris: string[];
  /** Permissions and wildcards that it may request. */
  allowedScopes: string[];
  /** Null for a public client. */
  secretHash: Buffer | null;
  suspendedAt: string | null;
  createdAt: string;
}

const FIND = `select * from directory.find_oauth_client($1)`;
const LIST = `select * from directory.oauth_clients order by created_at, id`;
const INSERT = `insert into directory.oauth_clients (id, name, redirect_uris, allowed_scopes, secret_hash, created_at)
  values ($1, $2, $3, $4, $5, $6)`;
const SUSPEND = `update directory.oauth_clients set suspended_at = coalesce(suspended_at, $2) where id = $1
  returning suspended_at`;
const ACTIVATE = `update directory.oauth_clients set suspended_at = null where id = $1 returning suspended_at`;

/** The current state of a client in the directory; null if it does not exist. */
export async function findOauthClient(database: Database, id: string): Promise<OauthClient | null> {
  const [answer] = await database.system([statement(FIND, [id])]);
  const [row] = answer!.rows;
  return row ? clientOf(row) : null;
}

/** Manages clients for the operator. Requires the `system` role. Suspension raises the epoch of all tenants with grants. */
export class OauthClientRegister {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Creates a client. Only this call returns its secret. */
  async create(
    { name, redirectUris, scopes }: { name: string; redirectUris: readonly string[]; scopes: readonly string[] },
    confidential: boolean,
  ): Promise<{ id: string; secret: string | null }> {
    const id = uuidv7();
    const secret = confidential ? generateClientSecret() : null;
    const values = [id, name, [...redirectUris], [...scopes], secret?.hash ?? null, this.clock.now().toISOString()];
    await this.database.system([statement(INSERT, values)]);
    return { id, secret: secret?.text ?? null };
  }

  /** All clients, oldest first. */
  async list(): Promise<OauthClient[]> {
    const [answer] = await this.database.system([statement(LIST)]);
    return answer!.rows.map(clientOf);
  }

  /** Rejects a client and all its tokens from the next request on. @throws OperatorError if it does not exist. */
  async suspend(id: string): Promise<string> {
    return String(await this.set(SUSPEND, [id, this.clock.now().toISOString()]));
  }

  /** Reactivates a suspended client. @throws OperatorError if it does not exist. */
  async activate(id: string): Promise<void> {
    await this.set(ACTIVATE, [id]);
  }

  private async set(text: string, values: string[]): Promise<unknown> {
    const [answer] = await this.database.system([statement(text, values)]);
    const [row] = answer!.rows;
    if (!row) throw new OperatorError(`There is no OAuth client with the id ${values[0]}`);
    return row['suspended_at'];
  }
}

function clientOf(row: Row): OauthClient {
  return {
    id: row['id'] as string,
    name: row['name'] as string,
    redirectUris: row['redirect_uris'] as string[],
    allowedScopes: row['allowed_scopes'] as string[],
    secretHash: row['secret_hash'] as Buffer | null,
    suspendedAt: row['suspended_at'] as string | null,
    createdAt: row['created_at'] as string,
  };
}
