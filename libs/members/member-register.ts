import { auditStatement } from '#libs/audit/audit-entry.js';
import { OperatorError } from '#libs/config/operator-error.js';
import type { Database } from '#libs/database/database.js';
import { breaksConstraint } from '#libs/database/failures.js';
import { statement } from '#libs/database/statement.js';
import type { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { currentScope, runAsSystem } from '#libs/tenancy/scope.js';
import { factsOf, type TenantRecord } from './tenant-directory.js';

/** A person's place in a tenant. */
export interface MemberRecord {
  id: string;
  email: string;
  name: string;
  status: 'invited' | 'active' | 'suspended' | 'deactivated';
}

const INSERT = `insert into data.memberships (tenant_id, id, email, name, status, created_at)
  values ($1, $2, $3, $4, 'active', $5)`;
const LIST = `select id, email, name, status from data.memberships where tenant_id = $1 order by created_at, id`;
const FIND = `select id, email, name, status from data.memberships where tenant_id = $1 and email_lower = lower($2)`;

/** Type of the target in the audit log. */
const TARGET = 'core.membership';

/** The members of tenants, for the operator. Changes are audited in the name of the system actor `actorName`. */
export class MemberRegister {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly actorName: string,
  ) {}

  /** Adds an active member; answers the id. @throws OperatorError when the tenant has one with the address. */
  async add(tenant: TenantRecord, { email, name }: { email: string; name: string }): Promise<string> {
    const id = uuidv7();
    const at = this.clock.now().toISOString();
    // The address is personal data, which an entry that can never change must not hold.
    const changes = { status: { from: null, to: 'active' } };
    const fact = { action: `${TARGET}.created`, target: { type: TARGET, id, name }, changes };
    try {
      await this.as(tenant, () =>
        this.database.aside([
          statement(INSERT, [tenant.id, id, email, name, at]),
          auditStatement(currentScope(), { ...fact, outcome: 'success', riskLevel: 'medium' }, at),
        ]),
      );
    } catch (error) {
      if (breaksConstraint(error, 'memberships_email_key'))
        throw new OperatorError(`The tenant "${tenant.slug}" has a member with the address ${email} already`);
      throw error;
    }
    return id;
  }

  /** All members of a tenant, oldest first. */
  async list(tenant: TenantRecord): Promise<MemberRecord[]> {
    return this.as(tenant, () => this.database.read<MemberRecord>(statement(LIST, [tenant.id])));
  }

  /**
   * The member with an address, in any case, for whom a key can act.
   * @throws OperatorError when there is none, or they have been deactivated.
   */
  async get(tenant: TenantRecord, email: string): Promise<MemberRecord> {
    const [member] = await this.as(tenant, () => this.database.read<MemberRecord>(statement(FIND, [tenant.id, email])));
    if (!member) throw new OperatorError(`The tenant "${tenant.slug}" has no member with the address ${email}`);
    if (member.status === 'deactivated')
      throw new OperatorError(`The member with the address ${email} has been deactivated`);
    return member;
  }

  private as<T>(tenant: TenantRecord, work: () => Promise<T>): Promise<T> {
    return runAsSystem(factsOf(tenant), this.actorName, uuidv7(), work);
  }
}
