import { Injectable } from '@nestjs/common';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { personBehind, personOf } from '#libs/auth/principal.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Problem } from '#libs/kernel/problem.js';
import { activeManagerOf } from '#libs/members/active-manager.js';
import { PermissionHolders } from '#libs/members/permission-holders.js';
import { Gates } from '#libs/resource/gates/gates.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { CompleteGate } from '#libs/settings/gate.model.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { type DataExportRequest, exportRequests } from './export-request.js';
import { APPROVE } from './export-request.lifecycle.js';

export const EXPORT_GATE = 'data.export';
const FACTS = ['kind', 'areas', 'format', 'includeFiles', 'includeDeleted'] as const;
const MANAGER = `select id from (${activeManagerOf(`(select e.id from data.people_employees e
  where e.tenant_id = $1 and e.membership_id = $2 and e.deleted_at is null limit 1)`)}) m`;

type Facts = Pick<DataExportRequest, (typeof FACTS)[number]>;

/** Whether an export needs a second person, by the settings or by the gate of the tenant, and who that can be. */
@Injectable()
export class ExportGate {
  constructor(
    private readonly gates: Gates,
    private readonly settings: TenantSettings,
    private readonly holders: PermissionHolders,
    private readonly database: Database,
    registry: ResourceRegistry,
  ) {
    registry.addCommands({ type: exportRequests.type, gate: EXPORT_GATE, fields: FACTS });
  }

  /** How many must approve an export of the caller; 0 if nobody must. @throws Problem 403 `gate_denied`. */
  async needed(facts: Facts): Promise<number> {
    const gate = await this.holding(facts);
    if (gate) return gate.quorum;
    return (await this.settings.get()).data.exportNeedsApproval ? 1 : 0;
  }

  /**
   * Requires that the caller may approve a request: not their own, unless the gate allows it or nobody else could, and
   * not for a second time.
   * @throws Problem 403 `not_by_oneself`, `not_an_approver`, `gate_denied`, 409 `already_decided`.
   */
  async requireApprover(row: DataExportRequest): Promise<void> {
    const gate = await this.holding(row);
    const person = personBehind(currentPrincipal());
    if (gate) await this.requireNamed(gate, row);
    if (!gate?.allowSelfApproval) await this.requireAnother(row);
    if (row.approvals.some((each) => each.person === person))
      throw new Problem('already_decided', 'You have already approved this export.');
  }

  /** Requires that the caller is not the person behind a request, unless nobody else could decide. @throws Problem 403. */
  async requireAnother({ requesterBehind }: DataExportRequest): Promise<void> {
    const person = personBehind(currentPrincipal());
    if (person === requesterBehind && (await this.hasOthers(person)))
      throw new Problem('not_by_oneself', 'Somebody else must decide about an export that you requested.');
  }

  private async hasOthers(person: string): Promise<boolean> {
    const holders = await this.holders.find(APPROVE, 2);
    return holders.some((each) => each !== person);
  }

  private async requireNamed({ approvers }: CompleteGate, { requesterBehind }: DataExportRequest): Promise<void> {
    const { memberIds, roleIds, managerOfRequester, permission } = approvers;
    const caller = currentPrincipal();
    const query = statement(MANAGER, [currentTenant().id, requesterBehind]);
    const managers = managerOfRequester ? await this.database.read<{ id: string }>(query) : [];
    const members = [...memberIds, ...managers.map(({ id }) => id)];
    const isOpen = members.length + roleIds.length === 0;
    const isNamed =
      isOpen || members.includes(personOf(caller)) || roleIds.some((id) => caller.authority.roleIds.includes(id));
    if (!isNamed) throw new Problem('not_an_approver', 'You are not among the approvers that the gate names.');
    if (permission !== null && caller.permissions.reach(permission) !== 'tenant')
      throw new Problem('not_an_approver', `This decision requires the scope ${permission}.`);
  }

  private holding(facts: Facts): Promise<CompleteGate | null> {
    return this.gates.holding(EXPORT_GATE, () => Object.fromEntries(FACTS.map((name) => [name, facts[name]])));
  }
}
