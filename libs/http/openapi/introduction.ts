/** The introduction of the document in Markdown: everything that belongs to no single operation. */
export const INTRODUCTION = `The backend a company runs its business on. Many tenants share it, and each sees only itself.

## Credentials

Send an API key as \`x-api-key\`; it implies the tenant, and \`x-tenant-slug\`, if sent, must name it. Or send the key as
\`Authorization: Bearer\` together with \`x-tenant-slug\`. A request with two different credentials is refused. Each
operation names the scopes it needs in \`x-required-scopes\`; \`deals:*\`, \`*:read\` and \`*\` cover several.
Scopes in \`x-partial-scopes\` are enough for a part of what it does; those in \`x-conditional-scopes\` are needed besides
in the cases that they name.

## Requests

Bodies are JSON in UTF-8, at most 1 MiB and 32 levels deep. Members that an operation does not know, members that occur
twice and \`__proto__\` are refused, and so are query parameters that it does not know. A validation problem lists every
failure at once (up to 50). HEAD works wherever GET does. A path that does not take a method answers 405 with \`Allow\`.

The path of a collection is \`/api/v1\`, its area and its name. A few also work without the \`/v1\`, and pipelines of sales
also as \`/api/settings/pipelines\`: these are aliases, and the same operations.

Ids are UUIDs in lower case. Instants (\`...At\`) are RFC 3339 in UTC with milliseconds, civil dates (\`...Date\`) are
\`YYYY-MM-DD\`. Amounts (\`...Minor\`) are whole numbers of the smallest unit of \`currency\`. In answers every field is
present; what is unknown or empty is null.

## Lists

A list answers \`{ "data": [...], "page": { "limit", "hasMore", "nextCursor" } }\`. Pass \`nextCursor\` as \`cursor\`, with
the same filters and sort, for the next page. Sort by up to three fields, \`sort=-createdAt,name\`; empty values come last
either way. Filter with \`field=value\` or \`field[operator]=value\`; lists of values are separated by commas.

## Changes

PATCH takes a JSON merge patch (RFC 7396): an absent member stays as it is, null empties a field. Every record has a
\`version\`, which is also its \`ETag\`. With \`If-Match\` a change happens only if nobody else was faster (412 otherwise);
with \`If-None-Match\` a read answers 304 if you have the current version.

## Idempotency

POST, PUT and PATCH take an \`Idempotency-Key\`. For 10 minutes the same request with the same key gets the stored answer
with \`Idempotent-Replayed: true\` and has no second effect. The same key with another path or body is a 422; while the
first request still runs, a 409. Answers 400, 401, 403, 413, 415, 429 and 5xx are not stored: a retry runs.

## Limits

Each tenant has a limit for reads (GET, HEAD) and one for writes in any 60 seconds. Every answer to an accepted credential
says what is left in \`RateLimit\`, \`RateLimit-Policy\` and \`x-ratelimit-*\`. Over the limit: 429 with \`Retry-After\`;
refused requests do not count. Requests without a valid credential are limited by address.

## Webhooks

Every change emits an event. Each delivery carries \`x-service-signature\`, the lower-case hex HMAC-SHA256 of the raw body
with the text of the endpoint's secret as the key, and the headers of Standard Webhooks. Verify it before anything else.

## Problems

Errors are \`application/problem+json\` (RFC 9457). Program against \`code\`, never against \`title\` or \`detail\`.
All codes are on [a page of their own](/docs/errors).
`;
