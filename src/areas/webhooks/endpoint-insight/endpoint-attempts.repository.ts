import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { Cursors, type Position } from '#libs/kernel/cursor.js';
import { NIL_UUID } from '#libs/kernel/id.js';
import type { OutboundResult } from '#libs/outbound/outbound-result.js';
import { type FilterOperator, type FilterTerm, toListRequest } from '#libs/resource/lists/list-query.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { ATTEMPT_COLUMNS, FIRST_ATTEMPTS } from '#libs/webhooks/sending/first-attempt.js';
import { SHOWN_OF_ATTEMPT } from '../attempt-columns.js';
import { attemptList, EXCERPT_CHARACTERS, type WebhookEndpointAttempt } from './endpoint-attempt.dto.js';

const ADD = `
  insert into data.webhook_attempts (tenant_id, delivery_id, number, endpoint_id, cause, started_at, duration_ms, dns_ms,
    connect_ms, tls_ms, first_byte_ms, remote_address, http_status, error, error_detail, response_headers,
    response_excerpt, key_ids)
  values ($1, $2, 1, $3, 'test', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`;
const LAST_FAILURE = `
  select started_at as "startedAt", http_status as "httpStatus", error from data.webhook_attempts
  where tenant_id = $1 and endpoint_id = $2 and error is not null and cause <> 'test'
  order by started_at desc, delivery_id desc, number desc limit 1`;
const COLUMNS = `delivery_id as "deliveryId", ${SHOWN_OF_ATTEMPT}, response_headers as "responseHeaders",
  left(response_excerpt, ${EXCERPT_CHARACTERS}) as "responseExcerpt"`;

// Each kind is read in the order of its index: webhook_attempts_endpoint_idx and webhook_deliveries_endpoint_idx.
const page = (sign: '<' | '>', direction: 'desc' | 'asc') => `
  with a as (
    (select ${ATTEMPT_COLUMNS} from data.webhook_attempts
    where tenant_id = $1 and endpoint_id = $2 and ($3::text[] is null or cause = any($3::text[]))
      and ($4::text[] is null or error = any($4::text[])) and ($5::boolean is null or (error is null) = $5)
      and started_at >= coalesce($6::timestamptz, '-infinity') and started_at < coalesce($7::timestamptz, 'infinity')
      and (started_at, delivery_id, number) ${sign} ($8::timestamptz, $9::uuid, $10::integer)
    order by started_at ${direction}, delivery_id ${direction}, number ${direction} limit $11)
    union all
    (${FIRST_ATTEMPTS}
      and tenant_id = $1 and endpoint_id = $2 and ($3::text[] is null or 'schedule' = any($3::text[]))
      and $4::text[] is null and coalesce($5::boolean, true)
      and created_at >= coalesce($6::timestamptz, '-infinity') and created_at < coalesce($7::timestamptz, 'infinity')
      and (created_at, id) ${sign}= ($8::timestamptz, $9::uuid) and (created_at, id, 1) ${sign} ($8::timestamptz, $9::uuid, $10::integer)
    order by created_at ${direction}, id ${direction} limit $11))
  select ${COLUMNS} from a order by started_at ${direction}, delivery_id ${direction}, number ${direction} limit $11`;
const PAGE = { descending: page('<', 'desc'), ascending: page('>', 'asc') };
/** Start of the first page. */
const START = { descending: ['infinity', NIL_UUID, 0], ascending: ['-infinity', NIL_UUID, 0] } satisfies Record<
  string,
  Position
>;

/** A logged attempt without a delivery. */
export interface TestAttempt {
  endpointId: string;
  /** A separate id, because there is no delivery. */
  deliveryId: string;
  startedAt: string;
  result: OutboundResult;
  error: string | null;
  keyIds: string[];
}

/** An attempt that failed. */
export interface FailedAttempt {
  startedAt: string;
  /** Null if there was no response. */
  httpStatus: number | null;
  error: string;
}

/** The log of attempts by endpoint. */
@Injectable()
export class EndpointAttemptsRepository {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
  ) {}

  add({ endpointId, deliveryId, startedAt, result, error, keyIds }: TestAttempt): Statement {
    const { timings, remoteAddress, httpStatus, errorDetail, responseHeaders, bodyExcerpt } = result;
    return statement(ADD, [
      currentTenant().id,
      deliveryId,
      endpointId,
      startedAt,
      timings.totalMs,
      timings.dnsMs,
      timings.connectMs,
      timings.tlsMs,
      timings.firstByteMs,
      remoteAddress,
      httpStatus,
      error,
      errorDetail,
      JSON.stringify(responseHeaders),
      httpStatus === null ? null : bodyExcerpt,
      keyIds,
    ]);
  }

  /** The last attempt of a failed delivery, if still retained; null otherwise. */
  async lastFailure(endpointId: string): Promise<FailedAttempt | null> {
    const query = statement(LAST_FAILURE, [currentTenant().id, endpointId]);
    return (await this.database.read<FailedAttempt>(query))[0] ?? null;
  }

  /** A page of the attempts at one endpoint, ordered by time. */
  async page(endpointId: string, query: Record<string, unknown>): Promise<Page<WebhookEndpointAttempt>> {
    const tenantId = currentTenant().id;
    const { limit, cursor, sort, filters } = toListRequest(attemptList, query);
    const direction = sort[0]!.descending ? 'descending' : 'ascending';
    const purpose = JSON.stringify([tenantId, 'webhooks.endpoints.attempts', endpointId, direction, filters]);
    const after = cursor === null ? START[direction] : this.cursors.read(cursor, purpose);
    const values = [tenantId, endpointId, ...boundsOf(filters), ...after, limit + 1];
    const rows = await this.database.read<WebhookEndpointAttempt>(statement(PAGE[direction], values));
    const hasMore = rows.length > limit;
    if (hasMore) rows.pop();
    const last = rows.at(-1);
    const position = last && [last.startedAt, last.deliveryId, last.number];
    const nextCursor = hasMore && position ? this.cursors.write(position, purpose) : null;
    return { data: rows, page: { limit, hasMore, nextCursor } };
  }
}

/** Values of `$3` to `$7`: causes, errors, whether there is no error, from, to; null means any. */
function boundsOf(filters: readonly FilterTerm[]): unknown[] {
  const valueOf = (field: string, operator: FilterOperator): unknown =>
    filters.find((term) => term.field === field && term.operator === operator)?.value ?? null;
  return [
    valueOf('cause', 'in'),
    valueOf('error', 'in'),
    valueOf('error', 'isNull'),
    valueOf('from', 'gte'),
    valueOf('to', 'lt'),
  ];
}
