import type { SampleStory } from '#libs/resource/sample/sample-story.js';
import type { EmployeeStatus } from './employees/employee.lifecycle.js';
import { USUAL_SCHEDULE } from './employees/employee.parts.js';

const DEPARTMENTS = [
  { key: 'leadership', name: 'Leadership', costCenter: '1000' },
  { key: 'sales', name: 'Sales', costCenter: '2000' },
  { key: 'delivery', name: 'Delivery', costCenter: '3000' },
  { key: 'finance', name: 'Finance', costCenter: '4000' },
  { key: 'people', name: 'People', costCenter: '5000' },
] as const;

/** One employee: names, title, department, manager (index), days since the first day, pay per year in major units. */
type Person = readonly [string, string, string, string, number | null, number, number, string, EmployeeStatus?];

const PEOPLE: readonly Person[] = [
  ['Nadia', 'Brandt', 'Managing director', 'leadership', null, 1_460, 145_000, 'Berlin'],
  ['Tomas', 'Okonjo', 'Head of sales', 'sales', 0, 1_180, 98_000, 'Hamburg'],
  ['Elif', 'Marsh', 'Head of delivery', 'delivery', 0, 1_090, 102_000, 'Berlin'],
  ['Priya', 'Lindqvist', 'Head of finance', 'finance', 0, 960, 94_000, 'Berlin'],
  ['Jonas', 'Adeyemi', 'Head of people', 'people', 0, 720, 88_000, 'Berlin'],
  ['Carla', 'Novotny', 'Account executive', 'sales', 1, 640, 68_000, 'Hamburg'],
  ['Samuel', 'Ivers', 'Account executive', 'sales', 1, 410, 66_000, 'Munich'],
  ['Mei', 'Castellan', 'Senior consultant', 'delivery', 2, 830, 79_000, 'Berlin'],
  ['Ruben', 'Falk', 'Consultant', 'delivery', 2, 520, 64_000, 'Leipzig'],
  ['Aisha', 'Renner', 'Project manager', 'delivery', 2, 450, 72_000, 'Berlin', 'on_leave'],
  ['Daniel', 'Sorensen', 'Engineer', 'delivery', 2, 230, 70_000, 'Munich'],
  ['Lucia', 'Hartwell', 'Accountant', 'finance', 3, 300, 58_000, 'Berlin'],
  ['Felix', 'Moreau', 'Recruiter', 'people', 4, 18, 56_000, 'Berlin', 'onboarding'],
  ['Greta', 'Almeida', 'Consultant', 'delivery', 2, 690, 63_000, 'Leipzig', 'terminated'],
];
const TERMINATED_DAYS_AGO = 75;
const PROMOTED_DAYS_AGO = 160;

/** Time off: employee (index), type, first and last day as days ago, status, half days. */
const ABSENCES = [
  [5, 'vacation', -26, -30, 'requested', 10],
  [7, 'vacation', -12, -16, 'requested', 10],
  [10, 'personal', -5, -5, 'requested', 2],
] as const;

/** Departments and employees with their history and requests for time off. */
export function peopleSample(story: SampleStory): void {
  DEPARTMENTS.forEach(({ key, name, costCenter }, index) =>
    story.record(
      {
        ...{ key: `department ${key}`, table: 'data.people_departments', name },
        ...{ reference: `DEPT-00000${index + 1}`, createdAt: story.at(1_460) },
      },
      { parentId: null, leadEmployeeId: null, costCenter },
    ),
  );
  PEOPLE.forEach((person, index) => employee(story, person, index));
  ABSENCES.forEach((absence, index) => timeOff(story, absence, index));
}

function employee(story: SampleStory, person: Person, index: number): void {
  const [firstName, lastName, jobTitle, department, manager, daysAgo, pay, city, status = 'active'] = person;
  const key = `employee ${index}`;
  const isTerminated = status === 'terminated';
  const wasPromoted = jobTitle.startsWith('Senior');
  const departmentId = story.id(`department ${department}`);
  const managerId = manager === null ? null : story.id(`employee ${manager}`);
  const number = String(index + 1).padStart(5, '0');
  const createdAt = story.at(daysAgo);
  story.record(
    {
      ...{ key, table: 'data.people_employees', name: `${firstName} ${lastName}` },
      ...{ reference: `EMP-0${number}`, createdAt, version: isTerminated || wasPromoted ? 2 : 1 },
    },
    {
      ...{ firstName, lastName, employeeNumber: `DEMO-EMP-${number}`, status, jobTitle, departmentId, managerId },
      workEmail: `${firstName}.${lastName}@staff.example`.toLowerCase(),
      employmentType: index === 8 ? 'part_time' : 'full_time',
      employmentCount: wasPromoted ? 2 : 1,
      location: { country: 'DE', region: null, city, remote: index % 3 === 0, timezone: 'Europe/Berlin' },
      startDate: story.day(daysAgo),
      terminationDate: isTerminated ? story.day(TERMINATED_DAYS_AGO) : null,
      terminationType: isTerminated ? 'voluntary' : null,
      terminationReason: isTerminated ? 'Moved abroad' : null,
      accessRemovedAt: isTerminated ? story.at(TERMINATED_DAYS_AGO, 18) : null,
      emergencyContacts: [],
      skills: skillsOf(department),
      workSchedule: USUAL_SCHEDULE,
      calendarId: city === 'Berlin' ? story.id('calendar') : null,
    },
  );
  const employment = (from: number, title: string, amount: number, reason: string | null) =>
    story.detail('data.people_employments', {
      ...{ employeeId: story.id(key), effectiveDate: story.day(from), jobTitle: title, departmentId, managerId },
      employmentType: index === 8 ? 'part_time' : 'full_time',
      ...{ payAmountMinor: amount * 100, payCurrency: story.currency, payPeriod: 'year', reason },
      ...{ createdAt: story.at(from), createdBy: story.get(key, 'createdBy') },
    });
  employment(
    daysAgo,
    wasPromoted ? jobTitle.replace('Senior c', 'C') : jobTitle,
    wasPromoted ? pay - 9_000 : pay,
    null,
  );
  if (wasPromoted) employment(PROMOTED_DAYS_AGO, jobTitle, pay, 'Promotion');
  if (isTerminated)
    story.moves('people.employee', key, createdAt, [
      { action: 'terminate', from: 'active', to: 'terminated', at: story.at(TERMINATED_DAYS_AGO, 17) },
    ]);
  if (status === 'on_leave')
    story.moves('people.employee', key, createdAt, [
      { action: 'leave', from: 'active', to: 'on_leave', at: story.at(40) },
    ]);
}

function skillsOf(department: string): { name: string; level: number }[] {
  const skills: Record<string, string[]> = {
    sales: ['Negotiation', 'Forecasting'],
    delivery: ['Project management', 'TypeScript', 'PostgreSQL'],
    finance: ['Bookkeeping', 'Controlling'],
    people: ['Recruiting'],
  };
  return (skills[department] ?? ['Strategy']).map((name, index) => ({ name, level: 5 - index }));
}

function timeOff(
  story: SampleStory,
  [person, type, first, last, status, halfDays]: (typeof ABSENCES)[number],
  index: number,
) {
  const [startDate, endDate] = [story.day(first), story.day(last)];
  story.record(
    {
      ...{ key: `time off ${index}`, table: 'data.people_time_off' },
      ...{
        name: `Time off ${startDate} to ${endDate}`,
        reference: `TO-00000${index + 1}`,
        createdAt: story.at(3 + index),
      },
    },
    {
      ...{ employeeId: story.id(`employee ${person}`), type, startDate, endDate, startHalf: false, endHalf: false },
      ...{ halfDays, note: null, status, decidedAt: null },
    },
  );
}
