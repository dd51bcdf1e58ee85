import { callerOrNull } from '#libs/auth/current-principal.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Employee } from './employee.js';
import { completeAddress, completeContacts, completeLocation } from './employee.parts.js';
import { type ChangeEmployment, NO_PAY, type Pay, PAY_FIELDS } from './employment.dto.js';
import { EMPLOYMENT_FIELDS, type EmploymentFields } from './employment-history.js';

type Input = Record<string, unknown>;

/** Fields of which a patch only has to say the new value. */
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
  'membershipId',
  'candidateId',
  'mappingId',
  ...EMPLOYMENT_FIELDS,
] as const;
/** What people never change about themselves. */
const NOT_ONES_OWN = ['managerId', 'startDate', 'membershipId'] as const;
/** What belongs to an employment, of which a terminated employee has none. */
const OF_EMPLOYED = [...EMPLOYMENT_FIELDS, 'startDate', 'membershipId'] as const;

/** The columns that the members of a body set directly; members of an address or a place that it leaves out stay. */
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

/** The fields of the employment that a body holds. */
export function employmentColumns(body: Partial<EmploymentFields>): Partial<EmploymentFields> {
  return pick(body, EMPLOYMENT_FIELDS);
}

/** Whether a body names pay, or a part of it. */
export function hasPay(body: Input): boolean {
  return PAY_FIELDS.some((field) => body[field] !== undefined);
}

/**
 * The pay that a body names; null when it names none.
 * @throws Problem 400 for one without currency or period, 403 `field_forbidden` for a caller who may not set pay.
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

/** Whether the caller acts for the person that an employee is. */
export function isCaller({ membershipId }: Pick<Employee, 'membershipId'>): boolean {
  return membershipId !== null && callerOrNull()?.membershipId === membershipId;
}

/** @throws Problem 403 `not_by_oneself`. */
export function refuseSelf(row: Pick<Employee, 'membershipId'>): void {
  if (isCaller(row))
    throw new Problem('not_by_oneself', 'Nobody changes their own employment, status or manager; ask somebody else.');
}

/**
 * @throws Problem 403 `not_by_oneself` for what the caller would change about themselves, 409 `record_locked` for what a
 * terminated employee does not have.
 */
export function checkPatch(row: Employee, patch: Partial<Employee>): void {
  if (NOT_ONES_OWN.some((field) => field in patch)) refuseSelf(row);
  const field = row.status === 'terminated' ? OF_EMPLOYED.find((each) => each in patch) : undefined;
  if (field !== undefined)
    throw new Problem('record_locked', `The field ${field} of a terminated employee cannot be changed.`);
  if (patch.managerId === row.id) throw tooClose();
}

/** 409 for somebody who would report to themselves, directly or not. */
export function tooClose(): Problem {
  return new Problem('tree_cycle', 'An employee cannot report to somebody who reports to them.');
}

/** 409 for a day for which a history has an entry. */
export function dayTaken(): Problem {
  return new Problem('duplicate', 'The history of the employee has an entry for that day already.', {
    extensions: { field: 'effectiveDate' },
  });
}

/** 400 for one member of the body. */
export function invalid(pointer: string, code: string, detail: string): Problem {
  return Problem.validation([{ pointer, code, detail }]);
}

function pick(body: object, fields: readonly string[]): Input {
  return Object.fromEntries(Object.entries(body).filter(([field]) => fields.includes(field)));
}
