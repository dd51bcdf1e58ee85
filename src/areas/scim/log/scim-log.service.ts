import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Database } from '#libs/database/database.js';
import { logFailure } from '#libs/database/log-failure.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { storableText } from '#libs/kernel/storable.js';
import { runAsSystem, type Scope } from '#libs/tenancy/scope.js';
import { notesOf } from './scim-notes.js';

/** Minimum number of logged calls per configuration; older ones are deleted after the same number of new ones. */
const KEPT = 1_000;
const MAX_TEXT = 500;
const INSERT = `insert into data.scim_log (tenant_id, id, config_id, at, method, path, status, subject, error, request_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;
const PRUNE = `delete from data.scim_log where tenant_id = $1 and config_id = $2 and id < (
  select id from data.scim_log where tenant_id = $1 and config_id = $2 order by id desc offset ${KEPT} limit 1)`;

declare module 'fastify' {
  interface FastifyRequest {
    /** `detail` of the SCIM error in the response. */
    scimError?: string;
  }
}

/**
 * Logs every call of an identity provider after its response, for troubleshooting. If logging fails, only the log entry
 * is lost.
 */
@Injectable()
export class ScimLogService implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger('scim');
  private readonly open = new Set<Promise<void>>();
  /** Calls since old ones were last deleted, by configuration. */
  private readonly grown = new Map<string, number>();

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    const server = this.host.httpAdapter.getInstance<FastifyInstance>();
    server.addHook('onSend', (request, reply, payload, done) => {
      if (isLogged(request.scope) && reply.statusCode >= 400) request.scimError = detailOf(payload);
      done(null, payload);
    });
    server.addHook('onResponse', (request, reply, done) => {
      if (isLogged(request.scope)) this.write(request, reply.statusCode);
      done();
    });
  }

  /** Calls completed just before shutdown are still logged. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.open);
  }

  private write(request: FastifyRequest, status: number): void {
    const { scope } = request;
    const written = runAsSystem(scope.tenant!, 'SCIM log', scope.requestId, () =>
      this.database.aside([this.entry(request, status), ...this.pruning(scope)]),
    )
      .then(() => undefined)
      .catch((error: unknown) => logFailure(this.logger, 'A call of a provider could not be logged', error))
      .finally(() => this.open.delete(written));
    this.open.add(written);
  }

  private entry({ scope, method, url, scimError }: FastifyRequest, status: number): Statement {
    const { subject, remarks } = notesOf(scope);
    const error = [...(scimError === undefined ? [] : [scimError]), ...remarks].join(' ');
    return statement(INSERT, [
      scope.tenant!.id,
      uuidv7(),
      scope.actor.id,
      this.clock.now().toISOString(),
      method,
      storableText(url.split('?')[0]!, MAX_TEXT),
      status,
      subject && storableText(subject, MAX_TEXT),
      error === '' ? null : storableText(error, MAX_TEXT),
      scope.requestId,
    ]);
  }

  private pruning({ tenant, actor }: Scope): Statement[] {
    const grown = (this.grown.get(actor.id!) ?? 0) + 1;
    this.grown.set(actor.id!, grown % KEPT);
    return grown < KEPT ? [] : [statement(PRUNE, [tenant!.id, actor.id])];
  }
}

/** Whether the call came from a provider with a valid token. */
function isLogged({ actor, tenant }: Scope): boolean {
  return actor.type === 'scim' && tenant !== null;
}

function detailOf(payload: unknown): string {
  try {
    return (JSON.parse(payload as string) as { detail?: string }).detail ?? '';
  } catch {
    return '';
  }
}
