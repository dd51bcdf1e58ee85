import { OperatorError } from '#libs/config/operator-error.js';
import { SYSTEM_ROLE_IDS, type SystemRole } from '#libs/auth/roles.js';
import { factsOf, type TenantRecord } from '#libs/auth/tenant-directory.js';
import type { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { Commits } from '#libs/resource/records/commits.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import type { MemberStatus } from './member.js';
import { MemberGifts } from './member-gifts.js';
import { MemberRecords } from './member-records.js';
import { Members } from './members.js';
import { MembersRepository } from './members.repository.js';
import { Revocations } from './revocations.js';
import { RoleBook } from './role-book.js';
import { Seats } from './seats.js';
import { WorkspaceBook } from './workspace-book.js';

/** A membership as shown to the operator. */
export interface MemberRecord {
  id: string;
  email: string;
  name: string;
  status: MemberStatus;
}

const SELECT = `select id, email, name, status from data.memberships where tenant_id = $1 and deleted_at is null`;
const LIST = `${SELECT} order by created_at, id`;
const FIND = `${SELECT} and email_lower = data.fold($2)`;
const FIND_ROLE = `select id from data.roles where tenant_id = $1 and key = $2`;

/** The members of tenants, for the operator. Changes are audited under the system actor `actorName`. */
export class MemberRegister {
  private readonly members: Members;

  constructor(
    private readonly database: Database,
    clock: Clock,
    private readonly actorName: string,
  ) {
    this.members = serviceOn(database, clock);
  }

  /**
   * Adds an active member with the role that has this key; returns the id.
   * @throws OperatorError when a member has this address, the role does not exist or no seat is left.
   */
  async add(
    tenant: TenantRecord,
    { email, name, role }: { email: string; name: string; role: string },
  ): Promise<string> {
    return this.as(tenant, () =>
      this.database.transaction(async (transaction) => {
        const roleId = await this.roleId(tenant, role);
        const input = { email, name, source: 'bootstrap', roleIds: [roleId] } as const;
        try {
          const { id } = await this.members.create(transaction, input, 'platform');
          return id;
        } catch (error) {
          if (!(error instanceof Problem)) throw error;
          if (error.code !== 'duplicate') throw new OperatorError(error.detail.replace(/\.$/, ''));
          throw new OperatorError(`The tenant "${tenant.slug}" has a member with the address ${email} already`);
        }
      }),
    );
  }

  /** All members of a tenant, oldest first. */
  async list(tenant: TenantRecord): Promise<MemberRecord[]> {
    return this.as(tenant, () => this.database.read<MemberRecord>(statement(LIST, [tenant.id])));
  }

  /**
   * The member with an address (case-insensitive) on whose behalf a key can act.
   * @throws OperatorError when there is none or it is deactivated.
   */
  async get(tenant: TenantRecord, email: string): Promise<MemberRecord> {
    const [member] = await this.as(tenant, () => this.database.read<MemberRecord>(statement(FIND, [tenant.id, email])));
    if (!member) throw new OperatorError(`The tenant "${tenant.slug}" has no member with the address ${email}`);
    if (member.status === 'deactivated')
      throw new OperatorError(`The member with the address ${email} has been deactivated`);
    return member;
  }

  private async roleId(tenant: TenantRecord, key: string): Promise<string> {
    if (Object.hasOwn(SYSTEM_ROLE_IDS, key)) return SYSTEM_ROLE_IDS[key as SystemRole];
    const [own] = await this.database.read<{ id: string }>(statement(FIND_ROLE, [tenant.id, key]));
    if (!own) throw new OperatorError(`The tenant "${tenant.slug}" has no role with the key ${key}`);
    return own.id;
  }

  private as<T>(tenant: TenantRecord, work: () => Promise<T>): Promise<T> {
    return runAsSystem(factsOf(tenant), this.actorName, uuidv7(), work);
  }
}

/** The command line adds members and revokes no grants. */
const NO_GRANTS = { endAll: () => Promise.reject(new Error('The command line revokes no grants.')) };

/** Builds the members service without dependency injection, because the CLI has no modules. */
function serviceOn(database: Database, clock: Clock): Members {
  const events = new EventCatalogue();
  const repository = new MembersRepository(database);
  const records = new MemberRecords(new Commits(events), events);
  records.onModuleInit();
  const seats = new Seats(repository, database, clock);
  const roles = new RoleBook();
  const gifts = new MemberGifts(repository, roles, new WorkspaceBook(), clock);
  return new Members(repository, records, new Revocations(NO_GRANTS), gifts, roles, seats, clock);
}
