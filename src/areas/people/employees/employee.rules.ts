import { callerOrNull } from '#libs/auth/current-principal.js';
import { isBehindCaller } from '#libs/auth/second-person.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import type { Employee } from './employee.js';
import { completeAddress, completeContacts, completeLocation } from './employee.parts.js';
import { type ChangeEmployment, NO_PAY, type Pay, PAY_FIELDS } from './employment.dto.js';
import { EMPLOYMENT_FIELDS, type EmploymentFields } from './employment-history.js';

type Input = Record<string, unknown>;

/** Fields that a patch sets directly. */
const PLAIN_FIELDS = [
  'firstName',
  'lastName',
  'preferredName',
  'workEmail',
  'startDate',
  'probationEndDate',
  'contractEndDate',
  'personalEmail',
  'phone',
  'dateOfBirth',
  'skills',
  'workSchedule',
  'calendarId',
  'membershipId',
  'candidateId',
  'mappingId',
  ...EMPLOYMENT_FIELDS,
] as const;
/** Fields that employees cannot change on their own record. */
const NOT_ONES_OWN = ['managerId', 'startDate', 'membershipId'] as const;
const DATES = ['startDate', 'probationEndDate', 'contractEndDate', 'dateOfBirth'] as const;
/** Fields that a terminated employee does not have. */
const OF_EMPLOYED = [...EMPLOYMENT_FIELDS, 'startDate', 'membershipId'] as const;

/** Columns that a body sets directly; omitted members of an address or place are kept. */
export function plainColumns(input: Partial<Employee>, row?: Employee): Partial<Employee> {
  return {
    ...(pick(input, PLAIN_FIELDS) as Partial<Employee>),
    ...(input.location === undefined
      ? {}
      : { location: completeLocation(input.location && { ...row?.location, ...input.location }) }),
    ...(input.address === undefined
      ? {}
      : { address: completeAddress(input.address && { ...row?.address, ...input.address }) }),
    ...(input.emergencyContacts === undefined ? {} : { emergencyContacts: completeContacts(input.emergencyContacts) }),
  };
}

/** Employment fields in a body. */
export function employmentColumns(body: Partial<EmploymentFields>): Partial<EmploymentFields> {
  return pick(body, EMPLOYMENT_FIELDS);
}

/** Whether a body contains pay or a part of it. */
export function hasPay(body: Input): boolean {
  return PAY_FIELDS.some((field) => body[field] !== undefined);
}

/**
 * The pay in a body; null if it contains none.
 * @throws Problem 400 without currency or period, 403 `field_forbidden` for a caller who may not set pay.
 */
export function payOf(body: Partial<ChangeEmployment>): Pay | null {
  const given = PAY_FIELDS.filter((field) => body[field] !== undefined);
  if (given.length === 0) return null;
  const permission = 'employees.compensation:write';
  const caller = callerOrNull();
  if (caller && caller.permissions.reach(permission) !== 'tenant')
    throw new Problem('field_forbidden', `The field ${given[0]} needs the scope ${permission}.`, {
      extensions: { field: given[0], requiredPermission: permission },
    });
  const missing = PAY_FIELDS.filter((field) => body[field] === undefined);
  if (missing.length > 0)
    throw Problem.validation(
      missing.map((field) => ({
        pointer: `/${field}`,
        code: 'required',
        detail: 'Pay has amount, currency and period.',
      })),
    );
  return { ...NO_PAY, ...pick(body, PAY_FIELDS) };
}

/** Whether the employee is the caller. */
export function isCaller({ membershipId }: Pick<Employee, 'membershipId'>): boolean {
  return membershipId !== null && callerOrNull()?.membershipId === membershipId;
}

/** @throws Problem 403 `not_by_oneself`. */
export function refuseSelf(row: Pick<Employee, 'membershipId'>): void {
  if (isBehindCaller(row.membershipId))
    throw new Problem('not_by_oneself', 'Nobody changes their own employment, status or manager; ask somebody else.');
}

/**
 * @throws Problem 403 `not_by_oneself` for fields that callers cannot change on their own record, 409 `record_locked`
 * for fields that a terminated employee does not have.
 */
export function checkPatch(row: Employee, patch: Partial<Employee>): void {
  if (NOT_ONES_OWN.some((field) => field in patch)) refuseSelf(row);
  const field = row.status === 'terminated' ? OF_EMPLOYED.find((each) => each in patch) : undefined;
  if (field !== undefined)
    throw new Problem('record_locked', `The field ${field} of a terminated employee cannot be changed.`);
  if (patch.managerId === row.id) throw tooClose();
}

/**
 * Checks the dates of an employee, if an input sets any of them.
 * @throws Problem 400 `out_of_range` for dates that cannot be.
 */
export function requireDates(input: Partial<Employee>, row: Partial<Employee>, today: string): void {
  if (!DATES.some((field) => field in input)) return;
  const {
    startDate = null,
    probationEndDate = null,
    contractEndDate = null,
    dateOfBirth = null,
  } = { ...row, ...input };
  const violations: Violation[] = [];
  const add = (field: string, detail: string) =>
    violations.push({ pointer: `/${field}`, code: 'out_of_range', detail });
  if (startDate !== null && probationEndDate !== null && probationEndDate < startDate)
    add('probationEndDate', 'The probation cannot end before the first day.');
  if (startDate !== null && contractEndDate !== null && contractEndDate < startDate)
    add('contractEndDate', 'The contract cannot end before the first day.');
  if (dateOfBirth !== null && dateOfBirth > today) add('dateOfBirth', 'Nobody is born in the future.');
  else if (startDate !== null && dateOfBirth !== null && dateOfBirth >= startDate)
    add('dateOfBirth', 'Nobody starts to work before their birth.');
  if (violations.length > 0) throw Problem.validation(violations);
}

/** 409 for an employee who would report to themselves, directly or indirectly. */
export function tooClose(): Problem {
  return new Problem('tree_cycle', 'An employee cannot report to somebody who reports to them.');
}

/** 409 when the history already has an entry for the date. */
export function dayTaken(): Problem {
  return new Problem('duplicate', 'The history of the employee has an entry for that day already.', {
    extensions: { field: 'effectiveDate' },
  });
}

/** 400 for one field. */
export function invalid(pointer: string, code: string, detail: string): Problem {
  return Problem.validation([{ pointer, code, detail }]);
}

function pick(body: object, fields: readonly string[]): Input {
  return Object.fromEntries(Object.entries(body).filter(([field]) => fields.includes(field)));
}
