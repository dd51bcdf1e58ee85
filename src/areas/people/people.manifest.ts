import { area } from '../area.js';

export const people = area({
  name: 'people',
  tags: {
    'people departments': 'The tree of departments.',
    'people employees': 'Employees from hiring to termination, with their employment history.',
    'people time off': 'Requests for time off, decisions, and balances.',
    'people time off policies': 'Yearly allowances for each type of time off.',
  },
  entities: async () => (await import('./people.entities.js')).PEOPLE_ENTITIES,
  routes: async () => (await import('./people.module.js')).PeopleModule,
  records: [async () => (await import('./people-records.module.js')).PeopleRecordsModule],
});
