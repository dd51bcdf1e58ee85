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
import { locale, timeZone } from '#libs/settings/locale-fields.js';
import { MAX_SPANS, WorkingHours } from '#libs/settings/working-hours.js';
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

/** The days on which a member is away, and their delegate. */
export class OutOfOfficeView {
  @Field(civilDate(), { description: 'First day, in the time zone of the absent member.', example: '2026-12-21' })
  fromDate!: string;

  @Field(civilDate(), { description: 'Last day.', example: '2027-01-02' })
  toDate!: string;

  @Field(id(), {
    description:
      'Delegate on these days, who can see and decide the approvals for which a gate names the absent member or one of their roles.',
    example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b41',
  })
  delegateId!: string;
}

/** The public fields of a membership, as carried by its events. The e-mail address is personal data and left out. */
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
    description: 'Language tag of the member; null uses the language of the tenant.',
    example: 'de-AT',
    nullable: true,
  })
  locale!: string | null;

  @Field(timeZone(), {
    description: 'IANA time zone of the member; null uses the time zone of the tenant.',
    example: 'Europe/Vienna',
    nullable: true,
  })
  timezone!: string | null;

  @Field(listOf(nested(WorkingHours), { max: MAX_SPANS }), {
    description: 'Working hours of the member in the week, in their time zone; null if they have not said.',
    example: [{ weekday: 1, from: '09:00', to: '17:00' }],
    nullable: true,
  })
  workingHours!: WorkingHours[] | null;

  @Field(nested(OutOfOfficeView), {
    description: 'Days on which the member is away, and the delegate. Set for a leave unless the member has set it.',
    nullable: true,
  })
  outOfOffice!: OutOfOfficeView | null;

  @Field(oneOf(MEMBER_STATUSES), {
    description: 'Status of the member. Keys and sessions of members who are not active are rejected.',
    example: 'active',
  })
  status!: MemberStatus;

  @Field(oneOf(MEMBER_SOURCES), { description: 'How the person became a member.', example: 'invite' })
  source!: MemberSource;

  @Field(flag(), {
    description: 'Whether an identity provider manages name, e-mail, title and status.',
    example: false,
  })
  managedByScim!: boolean;

  @Field(ids(), {
    description: 'Roles of the member. The permissions of all roles are combined.',
    example: ['00000000-0000-7000-8000-000000000004'],
  })
  roleIds!: string[];

  @Field(ids(), {
    description: 'Workspaces that the member belongs to.',
    example: ['019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b60'],
  })
  workspaceIds!: string[];

  @Field(integer(VERSION), { description: 'Increases by one with each change; also the ETag.', example: 1 })
  version!: number;

  @Field(integer(VERSION), { description: 'Increases whenever all sessions are revoked.', example: 1 })
  sessionEpoch!: number;

  @Field(instant(), { description: 'Time at which the person joined; null until then.', nullable: true })
  joinedAt!: string | null;

  @Field(instant(), { description: 'Time of creation.', example: '2026-11-21T09:15:02.114Z' })
  createdAt!: string;

  @Field(instant(), { description: 'Time of the last change.', example: '2026-11-21T09:15:02.114Z' })
  updatedAt!: string;
}

/** The public fields of a member. */
export function factsOf(member: Member): MembershipFacts {
  const { id, name, title, status, source, managedByScim, version, sessionEpoch, joinedAt, createdAt, updatedAt } =
    member;
  const { locale, timezone, workingHours, outOfOffice } = member;
  return {
    id,
    object: MEMBERSHIP_TYPE,
    name,
    title,
    locale,
    timezone,
    workingHours,
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
