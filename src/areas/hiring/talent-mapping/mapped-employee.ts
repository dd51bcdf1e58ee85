import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { bodyViolations } from '#libs/http/validation.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { EmployeesService } from '#src/areas/people/employees/employees.service.js';
import { MappingFields } from './mapping-fields.js';
import type { Sources } from './mapping-sources.js';
import type { Plan } from './mapping-template.js';
import type { MappingValues } from './mapping-values.js';

const STILL_THERE = `select
  (select id from data.people_departments
    where tenant_id = $1 and id = $2 and archived_at is null and deleted_at is null) as "departmentId",
  (select id from data.people_employees
    where tenant_id = $1 and id = $3 and status <> 'terminated' and deleted_at is null) as "managerId"`;

type Placement = Pick<MappingValues, 'departmentId' | 'managerId'>;

/** The employee that a mapping creates. */
@Injectable()
export class MappedEmployee {
  constructor(
    private readonly database: Database,
    private readonly employees: EmployeesService,
    private readonly fields: MappingFields,
  ) {}

  /**
   * The body of the new employee, without pay. A department or manager that is gone is left out.
   * @throws Problem 400 if a copied field is not valid.
   */
  async bodyOf(sources: Sources, values: MappingValues, plan: Plan): Promise<Record<string, unknown>> {
    const { name, firstName, lastName } = sources.candidate;
    const { startDate, jobTitle, workEmail, employmentType } = values;
    const own = { startDate, jobTitle, workEmail, ...(employmentType ? { employmentType } : {}) };
    const body = {
      ...{ name, firstName, lastName },
      ...this.copied(sources, plan),
      ...own,
      ...(await this.stillThere(values)),
      status: 'pending',
    };
    const faults = bodyViolations(this.employees.records.definition.create, body);
    if (faults.length > 0) throw Problem.validation(faults);
    return body;
  }

  /** The address of the employee, to which an invitation is sent. */
  addressOf(sources: Sources, { workEmail }: MappingValues, plan: Plan): string | null {
    return workEmail ?? (this.copied(sources, plan).personalEmail as string | null); // a copied text
  }

  private copied(sources: Sources, { fieldMap }: Plan): { personalEmail: unknown } {
    return { personalEmail: sources.candidate.email, ...this.fields.copied(fieldMap, sources) };
  }

  private async stillThere({ departmentId, managerId }: Placement): Promise<Placement> {
    const [found] = await this.database.read<Placement>(
      statement(STILL_THERE, [currentTenant().id, departmentId, managerId]),
    );
    return found!;
  }
}
