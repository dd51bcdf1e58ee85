import { Injectable } from '@nestjs/common';
import { limitsOf } from '#libs/access/limits.js';
import { type AuditFact, auditStatement, showingStatement } from '#libs/audit/audit-entry.js';
import { Database } from '#libs/database/database.js';
import type { Statement } from '#libs/database/statement.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { SealedColumn } from '#libs/sealing/sealed-column.js';
import { Sealer } from '#libs/sealing/sealer.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { type Employee, employees } from './employee.js';
import { EmployeesRepository } from './employees.repository.js';
import { type RevealedFields, type RevealFields, SENSITIVE_FIELDS, type SensitiveField } from './employment.dto.js';

const COLUMNS: Record<SensitiveField, SealedColumn> = {
  nationalId: new SealedColumn('data.people_employees', 'national_id'),
  bankAccount: new SealedColumn('data.people_employees', 'bank_account'),
};

export const EMPLOYEE_SEALED_COLUMNS = Object.values(COLUMNS);

/** Sensitive numbers of employees: encrypted in the table, masked in responses, disclosed only with an audit entry. */
@Injectable()
export class EmployeeSecrets {
  constructor(
    private readonly database: Database,
    private readonly repository: EmployeesRepository,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
  ) {}

  /** Encrypted columns for the secrets in a body. */
  async columnsOf(employeeId: string, body: Record<string, unknown>): Promise<Partial<Employee>> {
    const columns: Partial<Employee> = {};
    for (const field of SENSITIVE_FIELDS) {
      const value = body[field] as string | null | undefined;
      if (value === undefined) continue;
      columns[field] = value === null ? null : await this.sealer.seal(value, COLUMNS[field], employeeId);
      columns[`${field}Mask`] = value === null ? null : masked(value);
    }
    return columns;
  }

  /** Decrypted secrets. Actor, fields and reason are recorded before the response is sent. @throws Problem 404. */
  async reveal(employeeId: string, { fields, reason }: RevealFields): Promise<RevealedFields> {
    return this.database.transaction(async (transaction) => {
      const row = await this.repository.find(employeeId, limitsOf(employees, 'employees.sensitive:read'));
      if (row?.deletedAt !== null) throw Problem.notFound();
      transaction.write(this.readingStatement(row, reason, fields));
      const revealed: RevealedFields = { id: employeeId };
      for (const field of fields) {
        const sealed = row[field];
        revealed[field] = sealed === null ? null : await this.sealer.open(sealed, COLUMNS[field], employeeId);
      }
      return revealed;
    });
  }

  /** The audit statement for a read of sensitive fields: names of the fields, never their values. */
  readingStatement(row: Named, reason: string | null, fields: readonly string[]): Statement {
    return showingStatement(currentScope(), factOf('people.employee.sensitive_read', row, reason, fields), this.now());
  }

  /** The audit statement for a change of pay, which no event contains; never the pay itself. */
  payStatement(row: Named, reason: string | null): Statement {
    const fact = factOf('people.employee.compensation_changed', row, reason, ['payAmountMinor']);
    return auditStatement(currentScope(), fact, this.now());
  }

  private now(): string {
    return this.clock.now().toISOString();
  }
}

function factOf(action: string, { id, name }: Named, reason: string | null, fields: readonly string[]): AuditFact {
  const changes = Object.fromEntries(fields.map((field) => [field, { from: '(concealed)', to: '(concealed)' }]));
  const target = { type: 'people.employee', id, name };
  return { action, target, outcome: 'success', riskLevel: 'high', reason, changes };
}

type Named = Pick<Employee, 'id' | 'name'>;

/** The last four characters; fewer for a short number, which four would expose. */
function masked(value: string): string {
  const shown = value.length >= 8 ? 4 : Math.floor(value.length / 4);
  return `••••${value.slice(value.length - shown)}`;
}
