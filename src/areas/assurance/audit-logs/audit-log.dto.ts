import {
  addFields,
  anyObject,
  Field,
  flag,
  id,
  instant,
  integer,
  listOf,
  nested,
  oneOf,
  text,
} from '#libs/http/field.js';
import { network } from '#libs/http/network-field.js';
import { filter, listQuery, type Filter, type ListOptions } from '#libs/resource/lists/list-query.js';
import { ActorView, PageInfo } from '#libs/resource/types/record.dto.js';

const OUTCOMES = ['success', 'denied', 'failed'];
const EXAMPLE_HASH = '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7';
export const MAX_SEQ = Number.MAX_SAFE_INTEGER;
/** Maximum number of hashes in a proof; no tree is higher. */
export const MAX_HASHES = 64;
export const digest = () => text({ max: 64, pattern: /^[0-9a-f]{64}$/, form: '64 hexadecimal digits in lower case' });
const RISK_LEVELS = ['low', 'medium', 'high'];

export class AuditTarget {
  @Field(text({ max: 60 }), { description: 'Type of the target.', example: 'sales.deal' })
  type!: string;

  @Field(text({ max: 200 }), { description: 'Id of the target.', nullable: true })
  id!: string | null;

  @Field(text({ max: 200 }), { description: 'Name of the target at that time; null once erased.', nullable: true })
  name!: string | null;
}

export class AuditEntryView {
  @Field(id(), { description: 'Id of the entry.' })
  id!: string;

  @Field(instant(), { description: 'Time of the action.' })
  occurredAt!: string;

  @Field(nested(ActorView), { description: 'Actor who took the action.' })
  actor!: ActorView;

  @Field(listOf(nested(ActorView), { max: 10 }), {
    description:
      'Who authorized the action in addition to the actor: the approvers, or whoever accepted the proposal of an AI job. Empty if nobody else was involved.',
    example: [],
  })
  allowedBy!: ActorView[];

  @Field(text({ max: 200 }), { description: 'Action that was taken or attempted.', example: 'sales.deal.won' })
  action!: string;

  @Field(nested(AuditTarget), { description: 'Target of the action.', nullable: true })
  target!: AuditTarget | null;

  @Field(oneOf(OUTCOMES), { description: 'Outcome of the action.', example: 'success' })
  outcome!: string;

  @Field(oneOf(RISK_LEVELS), { description: 'Relevance for a review.', example: 'low' })
  riskLevel!: string;

  @Field(text({ max: 500 }), {
    description:
      'Reason given by the caller, the approval or AI job behind it, or the code of the refusal. Null once erased.',
    nullable: true,
  })
  reason!: string | null;

  @Field(anyObject({ type: 'object', additionalProperties: true }), {
    description: 'Old and new value of each changed field; `(erased)` once erased.',
    nullable: true,
  })
  changes!: object | null;

  @Field(id(), { description: 'Workspace of the target at that time; null for old entries.', nullable: true })
  workspaceId!: string | null;

  @Field(text({ max: 128 }), { description: 'Id of the request.' })
  requestId!: string;

  @Field(text({ max: 128 }), {
    description:
      'Id of the request that this follows from: for automations the request that started the chain, otherwise `requestId`. Null for old entries.',
    nullable: true,
  })
  correlationId!: string | null;

  @Field(text({ max: 64 }), { description: 'IP address of the client; null once erased.', nullable: true })
  clientIp!: string | null;

  @Field(text({ max: 500 }), { description: 'User agent of the client; null once erased.', nullable: true })
  userAgent!: string | null;

  @Field(instant(), {
    description: 'Time at which names, reasons and values were erased together with the person they refer to.',
    nullable: true,
  })
  erasedAt!: string | null;

  @Field(integer({ min: 1, max: MAX_SEQ }), {
    description:
      'Its number in the log of the tenant, without gaps; null for the first two seconds, until it is sealed.',
    nullable: true,
    example: 1,
  })
  seq!: number | null;

  @Field(digest(), {
    description: 'SHA-256 of a zero byte and the stored entry: its leaf in the tenant’s Merkle tree (RFC 6962).',
    example: EXAMPLE_HASH,
  })
  leafHash!: string;
}

/** Text to filter by. An empty one is refused, because it would match nothing. */
const given = (max: number) => text({ min: 1, max });

/** Entries from an address, in any of its spellings, or from a network. */
const fromAddress: Filter = {
  kind: network(),
  operators: ['eq'],
  exists: 'data.address_of(t.client_ip) <<= any(:values::inet[])',
  stored: { column: 'client_ip', valuesFor: (value) => spellingsOf(String(value)) },
};

/** Recorded spellings of a single address: a server that listens on IPv6 used to record `::ffff:203.0.113.7`. */
function spellingsOf(asked: string): readonly string[] | null {
  const [address = '', bits] = asked.split('/');
  if (address.includes('.')) return bits === '32' ? [address, `::ffff:${address}`] : null;
  return bits === '128' ? [address] : null;
}

export const auditList: ListOptions = {
  filters: {
    actorId: { ...filter.exact(given(64), true), person: true },
    actorType: filter.exact(given(20)),
    action: filter.plain(given(200), 'pattern', 't.action'),
    targetType: filter.exact(given(60), true),
    targetId: filter.exact(given(200), true),
    outcome: filter.exact(oneOf(OUTCOMES)),
    riskLevel: filter.exact(oneOf(RISK_LEVELS)),
    workspaceId: filter.exact(id(), true),
    requestId: filter.exact(given(128)),
    correlationId: filter.exact(given(128)),
    ip: fromAddress,
    from: filter.plain(instant(), 'gte', 't.occurred_at'),
    to: filter.plain(instant(), 'lt', 't.occurred_at'),
  },
  sorts: ['occurredAt'],
  defaultSort: '-occurredAt',
  searchable: true,
};

export const AuditLogQuery = listQuery('AuditLogQuery', auditList);
addFields(AuditLogQuery, [
  [
    'verify',
    {
      kind: flag(),
      description: 'Also proves the entries of the page: `tree.verified` says whether each is what was sealed.',
      optional: true,
    },
  ],
]);

export class AuditTreeView {
  @Field(integer({ min: 0, max: MAX_SEQ }), { description: 'How many entries are sealed.', example: 1 })
  size!: number;

  @Field(digest(), { description: 'Root of the Merkle tree over them (RFC 6962).', example: EXAMPLE_HASH })
  rootHash!: string;

  @Field(text({ max: 2_000 }), {
    description: 'Size and root as a signed note (C2SP `tlog-checkpoint`); null while nothing is sealed.',
    nullable: true,
  })
  checkpoint!: string | null;

  @Field(flag(), {
    description:
      'With `verify`: whether the entries of the page are those that were sealed, and the checkpoint is signed.',
    optional: true,
  })
  verified?: boolean;

  @Field(integer({ min: 1, max: MAX_SEQ }), {
    description: 'With `verify`: number of the first entry of the page that is not; null where there is none.',
    optional: true,
    nullable: true,
  })
  firstBroken?: number | null;
}

export class AuditLogPage {
  @Field(listOf(nested(AuditEntryView), { max: 200 }), { description: 'The entries of this page, in order.' })
  data!: AuditEntryView[];

  @Field(nested(PageInfo), { description: 'How to go on.' })
  page!: PageInfo;

  @Field(nested(AuditTreeView), { description: 'The newest checkpoint of the log.' })
  tree!: AuditTreeView;
}

export class AuditEntryQuery {
  @Field(listOf(oneOf(['proof']), { min: 1, max: 1 }), {
    description: 'Further data to include: `proof` adds the stored entry and the proof that it is in the log.',
    optional: true,
  })
  include?: string[];
}

export class InclusionProof {
  @Field(integer({ min: 0, max: MAX_SEQ }), { description: 'Place of the leaf, from 0.', example: 0 })
  leafIndex!: number;

  @Field(integer({ min: 1, max: MAX_SEQ }), { description: 'Size of the tree that it is proven for.', example: 1 })
  treeSize!: number;

  @Field(digest(), { description: 'Root of that tree.', example: EXAMPLE_HASH })
  rootHash!: string;

  @Field(listOf(digest(), { max: MAX_HASHES }), {
    description: 'Hashes that lead from the leaf to the root (RFC 6962 section 2.1.1).',
    example: [],
  })
  hashes!: string[];
}

export class AuditEntryDetail extends AuditEntryView {
  @Field(text({ max: 20_000 }), {
    description: 'With `include=proof`: the stored entry, canonical JSON (RFC 8785), which `leafHash` is made from.',
    optional: true,
  })
  canonical?: string;

  @Field(nested(InclusionProof), { description: 'With `include=proof`.', optional: true })
  proof?: InclusionProof;
}

export class ConsistencyQuery {
  @Field(integer({ min: 1, max: MAX_SEQ }), { description: 'Size of the older tree.', example: 1 })
  from!: number;

  @Field(integer({ min: 1, max: MAX_SEQ }), { description: 'Size of the newer tree, at most `tree.size`.', example: 1 })
  to!: number;
}

export class ConsistencyProof {
  @Field(listOf(digest(), { max: MAX_HASHES }), {
    description: 'Hashes that lead from the older root to the newer one (RFC 6962 section 2.1.2).',
    example: [],
  })
  hashes!: string[];
}
