import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type AutomationEvent, Automations } from '#libs/automation/automations.js';
import { Problem } from '#libs/kernel/problem.js';
import { CandidatesService } from '#src/areas/talent/candidates/candidates.service.js';
import { DepartmentsService } from './departments/departments.service.js';
import { EmployeesService } from './employees/employees.service.js';

/** Event data of a hire. */
interface Hire {
  id: string;
  applicationId: string;
  startDate: string;
  jobTitle: string | null;
  departmentId: string | null;
  managerId: string | null;
}

/** Creates a pending employee for each hired candidate. */
@Injectable()
export class HiringFlow implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly candidates: CandidatesService,
    private readonly employees: EmployeesService,
    private readonly departments: DepartmentsService,
  ) {}

  onModuleInit(): void {
    this.automations.on({
      flow: 'people.employee_on_candidate_hired',
      event: 'talent.candidate.hired',
      handle: ({ data }) => this.employ(data),
    });
  }

  private async employ(data: AutomationEvent['data']): Promise<void> {
    const { id, applicationId, startDate, jobTitle, ...hire } = data as unknown as Hire; // a hired candidate has them
    await this.candidates.becomeEmployee(id, applicationId, async ({ name, firstName, lastName, email }) => {
      const employee = await this.employees.records.create({
        name,
        firstName,
        lastName,
        personalEmail: email,
        startDate,
        jobTitle,
        departmentId: await stillThere(hire.departmentId, this.departments.records),
        managerId: await stillThere(hire.managerId, this.employees.records),
        candidateId: id,
        status: 'pending',
      });
      return employee.id;
    });
  }
}

/** The id; null if its record has been deleted since the hire. */
async function stillThere(id: string | null, service: { read(id: string): Promise<object> }): Promise<string | null> {
  if (id === null) return null;
  try {
    await service.read(id);
    return id;
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return null;
    throw error;
  }
}
