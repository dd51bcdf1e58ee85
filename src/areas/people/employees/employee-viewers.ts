import { Injectable } from '@nestjs/common';
import { callerOrNull } from '#libs/auth/current-principal.js';
import { Database } from '#libs/database/database.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentScope, isTransactionOpen, type Scope } from '#libs/tenancy/scope.js';
import type { Employee } from './employee.js';
import { isCaller } from './employee.rules.js';
import { EmployeesRepository } from './employees.repository.js';
import { SENSITIVE_FIELDS } from './employment.dto.js';

/** Decides which employee data the caller sees beyond the scopes of the credential. */
@Injectable()
export class EmployeeViewers {
  private readonly managers = new WeakMap<Scope, string | null>();

  constructor(
    private readonly database: Database,
    private readonly settings: TenantSettings,
    private readonly repository: EmployeesRepository,
  ) {}

  /** Determines which employee the caller is, if that affects visibility. Must run before any employee is shown. */
  async prepare(): Promise<void> {
    const membershipId = callerOrNull()?.membershipId ?? null;
    if (membershipId === null) return;
    if (!isTransactionOpen()) await this.database.confirm(); // no statement has asked yet whether the settings are the newest
    const { people } = await this.settings.get();
    const employeeId = people.managersSeePersonal ? await this.repository.ofMember(membershipId) : null;
    this.managers.set(currentScope(), employeeId);
  }

  /** Whether the caller sees the personal fields of an employee: their own, or those of a direct report. */
  seesPersonal(row: Employee): boolean {
    const employeeId = this.managers.get(currentScope());
    return isCaller(row) || (employeeId != null && employeeId === row.managerId);
  }

  /** Whether managers see more of an employee than the directory entry. */
  async managersSeePersonal(): Promise<boolean> {
    return (await this.settings.get()).people.managersSeePersonal;
  }

  /** Removes fields that require a scope even for the employee and the manager. */
  withoutSecrets<V extends object>(shown: V): V {
    if (callerOrNull()?.permissions.reach('employees.sensitive:read') !== 'tenant')
      for (const field of SENSITIVE_FIELDS) delete (shown as Partial<Record<string, unknown>>)[field];
    return shown;
  }
}
