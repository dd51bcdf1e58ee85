import { type Collector, collector } from '../collector.js';
import { EVENT_COLUMNS, EVENT_ORDER, eventOf, eventsOf, type RawEvent, type ShownEvent } from './events.js';
import { HAS_PRIVILEGES, memberOf, MEMBERS, type RawMember, type ShownMember } from './members.js';

const folder = 'access';
/** Access of people who have left ends within this time. */
const MAX_HOURS = 24;

const roleless = ({ status, roles }: Pick<ShownMember, 'status' | 'roles'>): string | null =>
  status === 'active' && roles.length === 0 ? 'An active member has no role.' : null;

interface Leaver {
  employeeId: string;
  employeeNumber: string;
  membershipId: string | null;
  terminationDate: string;
  accessRemovedAt: string | null;
  hoursToRemoval: number | null;
  membershipStatus: string | null;
}

interface Exception {
  grantId: string;
  object: string;
  objectId: string | null;
  workspaceId: string | null;
  principalType: string;
  principalId: string;
  level: string;
  effect: string;
  hasReason: boolean;
  expiresAt: string | null;
  grantedById: string | null;
}

interface Connection {
  configurationId: string;
  status: string;
  deprovisionAction: string;
  tokenExpiresAt: string | null;
  createdAt: string;
}

interface Partner {
  grantId: string;
  clientId: string;
  clientName: string;
  membershipId: string;
  membershipStatus: string | null;
  scopes: string[];
  grantedAt: string;
}

/** Who has access, why, and how it ends. */
export const ACCESS: readonly Collector[] = [
  collector<RawMember, ShownMember>({
    folder,
    controlId: 'access-members',
    control: 'Everybody with access is known, and holds roles that say what they may do.',
    title: 'Members with roles and second factor',
    type: 'population',
    source: 'Memberships that are not deleted, their roles, and the last sign-in of each member.',
    frameworks: { soc2: ['CC6.1', 'CC6.2'], iso27001: ['A.5.15', 'A.5.16'], gdpr: ['Art. 32(1)(b)'] },
    columns: ['membershipId', 'name', 'email', 'status', 'source', 'joinedAt', 'roles', 'privileged', 'secondFactor'],
    query: MEMBERS,
    order: 'name, "membershipId"',
    show: memberOf,
    finding: roleless,
  }),
  collector<RawMember, ShownMember>({
    folder,
    controlId: 'access-privileged',
    control: 'People who can change rights sign in with a second factor.',
    title: 'Privileged access',
    type: 'population',
    source: 'Active members with a role that allows changing members, roles, secrets or settings.',
    frameworks: { soc2: ['CC6.1', 'CC6.3'], iso27001: ['A.8.2', 'A.5.18'], gdpr: ['Art. 32(1)(b)'] },
    columns: ['membershipId', 'name', 'email', 'status', 'source', 'joinedAt', 'roles', 'privileged', 'secondFactor'],
    query: `select * from (${MEMBERS} and m.status = 'active') p where ${HAS_PRIVILEGES}`,
    order: 'name, "membershipId"',
    show: memberOf,
    finding: ({ secondFactor }) => (secondFactor ? null : 'The last sign-in used no accepted second factor.'),
  }),
  collector<RawMember, ShownMember>({
    folder,
    controlId: 'access-joiners',
    control: 'New members get the access that their roles give them.',
    title: 'Joiners',
    type: 'population',
    source: 'Members who joined in the period.',
    frameworks: { soc2: ['CC6.2'], iso27001: ['A.5.16', 'A.5.18'], gdpr: ['Art. 32(1)(b)'] },
    columns: ['membershipId', 'name', 'email', 'status', 'source', 'joinedAt', 'roles', 'privileged', 'secondFactor'],
    query: `${MEMBERS} and m.joined_at >= $2 and m.joined_at < $3`,
    order: '"joinedAt", "membershipId"',
    show: memberOf,
    finding: roleless,
  }),
  collector<Leaver>({
    folder,
    controlId: 'access-leavers',
    control: `Access of people who leave ends within ${MAX_HOURS} hours.`,
    title: 'Leavers with hours until their access was removed',
    type: 'population',
    source: 'Terminated employees; hours from the end of the last day (UTC) to the removal of access.',
    frameworks: { soc2: ['CC6.2', 'CC6.3'], iso27001: ['A.5.18', 'A.6.5'], gdpr: ['Art. 32(1)(b)'] },
    columns: [
      'employeeId',
      'employeeNumber',
      'membershipId',
      'terminationDate',
      'accessRemovedAt',
      'hoursToRemoval',
      'membershipStatus',
    ],
    query: `
      select e.id as "employeeId", e.employee_number as "employeeNumber", e.membership_id as "membershipId",
        e.termination_date as "terminationDate", e.access_removed_at as "accessRemovedAt",
        round(extract(epoch from greatest(interval '0',
          e.access_removed_at - (e.termination_date + 1)::timestamp at time zone 'UTC')) / 3600, 2)::float8
          as "hoursToRemoval",
        m.status as "membershipStatus"
      from data.people_employees e left join data.memberships m
        on m.tenant_id = e.tenant_id and m.id = e.membership_id and m.deleted_at is null
      where e.tenant_id = $1 and e.status = 'terminated' and e.deleted_at is null
        and e.termination_date >= ($2 at time zone 'UTC')::date and e.termination_date <= ($3 at time zone 'UTC')::date`,
    order: '"terminationDate", "employeeId"',
    finding: ({ hoursToRemoval, membershipStatus }) => {
      if (hoursToRemoval === null) return 'The access has not been removed.';
      if (membershipStatus === 'active') return 'The membership is active.';
      return hoursToRemoval > MAX_HOURS ? `The access was removed after more than ${MAX_HOURS} hours.` : null;
    },
  }),
  collector<RawEvent, ShownEvent & { isOwn: boolean }>({
    folder,
    controlId: 'access-changes',
    control: 'Nobody changes their own rights.',
    title: 'Role and permission changes',
    type: 'event_log',
    source: 'Audit log: changes of roles, members, exceptions and grants by identity providers.',
    frameworks: { soc2: ['CC6.2', 'CC6.3'], iso27001: ['A.5.18'], gdpr: ['Art. 32(1)(b)'] },
    columns: [...EVENT_COLUMNS, 'isOwn'],
    query: eventsOf([
      'core.membership.created',
      'core.membership.updated',
      'core.resource_permission.granted',
      'core.resource_permission.revoked',
      'core.role.created',
      'core.role.deleted',
      'core.role.updated',
      'scim.group.grants_applied',
    ]),
    order: EVENT_ORDER,
    show: (row) => ({ ...eventOf(row), isOwn: row.isOwn }),
    finding: ({ isOwn, changed }) =>
      isOwn && changed.includes('roleIds') ? 'A member changed their own roles.' : null,
  }),
  collector<RawEvent, ShownEvent>({
    folder,
    controlId: 'access-removals',
    control: 'Removed access is on record.',
    title: 'Suspended, deactivated and removed members',
    type: 'event_log',
    source: 'Audit log: members who were suspended, deactivated or removed.',
    frameworks: { soc2: ['CC6.2'], iso27001: ['A.5.18'], gdpr: ['Art. 32(1)(b)'] },
    columns: EVENT_COLUMNS,
    query: eventsOf(['core.membership.deactivated', 'core.membership.deleted', 'core.membership.suspended']),
    order: EVENT_ORDER,
    show: eventOf,
    finding: ({ actorId, actorType }) =>
      actorId === null && actorType === 'anonymous' ? 'Nobody is named as the actor.' : null,
  }),
  collector<Exception>({
    folder,
    controlId: 'access-exceptions',
    control: 'An exception to the roles has a reason or an end.',
    title: 'Exceptions for single records',
    type: 'population',
    source: 'Resource permissions that have not expired.',
    frameworks: { soc2: ['CC6.3'], iso27001: ['A.5.15', 'A.8.3'], gdpr: ['Art. 25(2)'] },
    columns: [
      'grantId',
      'object',
      'objectId',
      'workspaceId',
      'principalType',
      'principalId',
      'level',
      'effect',
      'hasReason',
      'expiresAt',
      'grantedById',
    ],
    query: `
      select g.id as "grantId", g.object, g.object_id as "objectId", g.workspace_id as "workspaceId",
        g.principal_type as "principalType", g.principal_id as "principalId", g.level, g.effect,
        g.reason is not null as "hasReason",
        g.expires_at as "expiresAt", g.granted_by ->> 'id' as "grantedById"
      from data.resource_grants g where g.tenant_id = $1 and (g.expires_at is null or g.expires_at > $3)`,
    order: '"grantId"',
    finding: ({ hasReason, expiresAt }) =>
      !hasReason && expiresAt === null ? 'The exception has neither a reason nor an end.' : null,
  }),
  collector<Connection>({
    folder,
    controlId: 'access-provisioning',
    control: 'Connected identity providers can still provision and deprovision members.',
    title: 'Identity providers (SCIM)',
    type: 'configuration',
    source: 'SCIM configurations that are not deleted, with the expiry of their token.',
    frameworks: { soc2: ['CC6.2'], iso27001: ['A.5.16'], gdpr: ['Art. 32(1)(b)'] },
    columns: ['configurationId', 'status', 'deprovisionAction', 'tokenExpiresAt', 'createdAt'],
    query: `
      select c.id as "configurationId", c.status, c.deprovision_action as "deprovisionAction",
        s.expires_at as "tokenExpiresAt", c.created_at as "createdAt"
      from data.scim_configs c left join directory.scim_tokens() s on s.config_id = c.id
      where c.tenant_id = $1 and c.deleted_at is null`,
    order: '"createdAt", "configurationId"',
    finding: ({ status, tokenExpiresAt }, { to }) =>
      status === 'active' && tokenExpiresAt !== null && Date.parse(tokenExpiresAt) <= Date.parse(to)
        ? 'The token has expired, so nobody is deprovisioned.'
        : null,
  }),
  collector<Partner>({
    folder,
    controlId: 'access-partners',
    control: 'Partners act only for active members.',
    title: 'Access delegated to partners',
    type: 'population',
    source: 'OAuth grants that are not revoked.',
    frameworks: { soc2: ['CC6.3', 'CC9.2'], iso27001: ['A.5.19', 'A.5.15'], gdpr: ['Art. 28', 'Art. 32(1)(b)'] },
    columns: ['grantId', 'clientId', 'clientName', 'membershipId', 'membershipStatus', 'scopes', 'grantedAt'],
    query: `
      select g.id as "grantId", g.client_id as "clientId", g.client_name as "clientName",
        g.membership_id as "membershipId", m.status as "membershipStatus", g.scopes, g.created_at as "grantedAt"
      from data.oauth_grants g left join data.memberships m
        on m.tenant_id = g.tenant_id and m.id = g.membership_id and m.deleted_at is null
      where g.tenant_id = $1 and g.revoked_at is null`,
    order: '"grantedAt", "grantId"',
    finding: ({ membershipStatus }) =>
      membershipStatus === 'active' ? null : 'The member who granted it is not active.',
  }),
];
