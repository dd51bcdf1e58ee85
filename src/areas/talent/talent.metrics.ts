import { count, daysBetween, mean, type Metric, share } from '#libs/measures/metric.js';
import { applications } from './applications/application.js';
import { jobs } from './jobs/job.js';
import { offers } from './offers/offer.js';

const talent = { group: 'talent', direction: 'higher' } as const;

export const TALENT_METRICS: readonly Metric[] = [
  {
    ...talent,
    key: 'time_to_hire_days',
    name: 'Time to hire',
    formula: 'Mean days from the application to the hiring, for applications hired in the period.',
    unit: 'days',
    usualTarget: 45,
    direction: 'lower',
    of: applications.type,
    where: { status: 'hired' },
    during: 'hiredAt',
    measure: mean(daysBetween('t.applied_at', 't.hired_at')),
  },
  {
    ...talent,
    key: 'offer_acceptance',
    name: 'Offer acceptance',
    formula: 'Accepted offers ÷ accepted, declined and expired offers, of those sent in the period.',
    unit: 'percent',
    usualTarget: 80,
    of: offers.type,
    where: { 'status[in]': 'accepted,declined,expired' },
    during: 'sentAt',
    measure: share(`t.status = 'accepted'`),
  },
  {
    ...talent,
    key: 'stage_conversion',
    name: 'Stage conversion',
    formula: 'Applications that have passed the first stage so far ÷ applications received in the period.',
    unit: 'percent',
    of: applications.type,
    where: {},
    during: 'appliedAt',
    measure: share(`t.status = 'hired' or coalesce(t.stage_before, t.stage) <> 'applied'`),
  },
  {
    ...talent,
    key: 'new_applications',
    name: 'New applications',
    formula: 'Number of applications received in the period.',
    unit: 'count',
    of: applications.type,
    where: {},
    during: 'appliedAt',
    measure: count(),
  },
  {
    ...talent,
    key: 'open_jobs',
    name: 'Open jobs',
    formula: 'Number of jobs in the state `open` now.',
    unit: 'count',
    of: jobs.type,
    where: { status: 'open' },
    measure: count(),
  },
  {
    ...talent,
    key: 'active_applications',
    name: 'Active applications',
    formula: 'Number of applications in the state `active` now.',
    unit: 'count',
    of: applications.type,
    where: { status: 'active' },
    measure: count(),
  },
];
