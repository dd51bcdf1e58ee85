import { count, type Metric, share, TOKENS, total } from '#libs/measures/metric.js';
import { employees } from './employees/employee.js';
import { timeOff } from './time-off/time-off.js';

const LEFT_IN_YEAR = `t.status = 'terminated' and t.termination_date between :yearAgo and :last`;
const people = { group: 'people', direction: 'higher' } as const;

export const PEOPLE_METRICS: readonly Metric[] = [
  {
    ...people,
    key: 'headcount',
    name: 'Headcount',
    formula: 'Number of employees in the state `active` now.',
    unit: 'count',
    of: employees.type,
    where: { status: 'active' },
    measure: count(),
  },
  {
    ...people,
    key: 'joiners',
    name: 'Joiners',
    formula: 'Number of employees whose first day is in the period.',
    unit: 'count',
    of: employees.type,
    where: {},
    during: 'startDate',
    measure: count(),
  },
  {
    ...people,
    key: 'leavers',
    name: 'Leavers',
    formula: 'Number of terminated employees whose last day is in the period.',
    unit: 'count',
    direction: 'lower',
    of: employees.type,
    where: { status: 'terminated' },
    during: 'terminationDate',
    permission: 'employees.personal:read',
    measure: count(),
  },
  {
    ...people,
    key: 'attrition_12m',
    name: 'Attrition in 12 months',
    formula:
      'Terminated employees whose last day is in the 12 months that end with the period ÷ employees employed at any time in these months.',
    unit: 'percent',
    usualTarget: 15,
    direction: 'lower',
    of: employees.type,
    where: { 'startDate[lte]': TOKENS.last, employedSince: TOKENS.yearAgo },
    hasHistory: true,
    permission: 'employees.personal:read',
    measure: share(LEFT_IN_YEAR),
  },
  {
    ...people,
    key: 'absence_days',
    name: 'Absence',
    formula: 'Sum of the working days of approved and taken time off that begins in the period.',
    unit: 'days',
    direction: 'lower',
    of: timeOff.type,
    where: { 'status[in]': 'approved,taken' },
    during: 'startDate',
    measure: total('t.half_days / 2.0'),
  },
];
