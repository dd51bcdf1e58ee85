import {
  civilDate,
  constant,
  Field,
  flag,
  id,
  instant,
  integer,
  listOf,
  name,
  nested,
  oneOf,
  text,
} from '#libs/http/field.js';
import { locale, timeZone } from '#libs/settings/settings.model.js';
import {
  type Member,
  MEMBER_SOURCES,
  MEMBER_STATUSES,
  MEMBERSHIP_TYPE,
  type MemberSource,
  type MemberStatus,
  roleIdsOf,
  workspaceIdsOf,
} from './member.js';

const VERSION = { min: 1, max: 2_147_483_647 };
const ids = () => listOf(id(), { max: 200 });

/** When somebody is away, and who stands in for them. */
export class OutOfOfficeView {
  @Field(civilDate(), { description: 'First day, in the time zone of who is away.', example: '2026-12-21' })
  fromDate!: string;

  @Field(civilDate(), { description: 'Last day.', example: '2027-01-02' })
  toDate!: string;

  @Field(id(), {
    description:
      'Member who stands in on these days: they see, and may decide, the approvals for which a gate names who is away or a role of theirs.',
    example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b41',
  })
  delegateId!: string;
}

/** What everybody may know of a membership: what its events carry. Without the e-mail address, which is personal. */
export class MembershipFacts {
  @Field(id(), { description: 'Id of the membership (UUIDv7).', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22' })
  id!: string;

  @Field(constant(MEMBERSHIP_TYPE), { description: 'Type of the record.', example: MEMBERSHIP_TYPE })
  object!: string;

  @Field(name(), { description: 'Name of the person.', example: 'Ana Silva' })
  name!: string;

  @Field(text({ max: 200 }), { description: 'Job title.', example: 'Head of Sales', nullable: true })
  title!: string | null;

  @Field(locale(), {
    description: 'Their language tag; null for that of the tenant.',
    example: 'de-AT',
    nullable: true,
  })
  locale!: string | null;

  @Field(timeZone(), {
    description: 'Their IANA time zone; null for that of the tenant.',
    example: 'Europe/Vienna',
    nullable: true,
  })
  timezone!: string | null;

  @Field(nested(OutOfOfficeView), { description: 'When they are away, and who stands in.', nullable: true })
  outOfOffice!: OutOfOfficeView | null;

  @Field(oneOf(MEMBER_STATUSES), {
    description: 'Only active members can do anything: keys and sessions of all others are refused.',
    example: 'active',
  })
  status!: MemberStatus;

  @Field(oneOf(MEMBER_SOURCES), { description: 'How they came to be a member.', example: 'invite' })
  source!: MemberSource;

  @Field(flag(), {
    description: 'Whether an identity provider has the say about name, e-mail, title and status.',
    example: false,
  })
  managedByScim!: boolean;

  @Field(ids(), {
    description: 'Roles they have; permissions add up.',
    example: ['00000000-0000-7000-8000-000000000004'],
  })
  roleIds!: string[];

  @Field(ids(), {
    description: 'Workspaces they belong to.',
    example: ['019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b60'],
  })
  workspaceIds!: string[];

  @Field(integer(VERSION), { description: 'Rises by one with each change; also the ETag.', example: 1 })
  version!: number;

  @Field(integer(VERSION), { description: 'Rises whenever all sessions are ended.', example: 1 })
  sessionEpoch!: number;

  @Field(instant(), { description: 'Since when they are a member; null until they have joined.', nullable: true })
  joinedAt!: string | null;

  @Field(instant(), { description: 'Time of creation.', example: '2026-11-21T09:15:02.114Z' })
  createdAt!: string;

  @Field(instant(), { description: 'Time of the last change.', example: '2026-11-21T09:15:02.114Z' })
  updatedAt!: string;
}

/** What may be told to everybody about a member. */
export function factsOf(member: Member): MembershipFacts {
  const { id, name, title, status, source, managedByScim, version, sessionEpoch, joinedAt, createdAt, updatedAt } =
    member;
  const { locale, timezone, outOfOffice } = member;
  return {
    id,
    object: MEMBERSHIP_TYPE,
    name,
    title,
    locale,
    timezone,
    outOfOffice,
    status,
    source,
    managedByScim,
    roleIds: roleIdsOf(member),
    workspaceIds: workspaceIdsOf(member),
    version,
    sessionEpoch,
    joinedAt,
    createdAt,
    updatedAt,
  };
}
