import { area } from '../area.js';

export const work = area({
  name: 'work',
  tags: {
    'work projects': 'Customer and internal projects: progress, health, budget and cost.',
    'work milestones': 'Dated goals of a project, with the amounts that can be invoiced once they are reached.',
    'work cycles': 'Periods for which projects and workspaces plan their tasks.',
    'work task states': 'States that a tenant adds to the default states of tasks.',
    'work tasks': 'Tasks with assignees, due dates, subtasks and dependencies.',
    'work time entries': 'Time worked, with a timer, approval and billing rates.',
    'work project templates': 'Templates for new projects: milestones, tasks with relative dates, billing.',
    'admin delivery control':
      'Customer projects across the tenant: figures, gates, escalation, and actions on many of them.',
  },
  entities: async () => (await import('./work.entities.js')).WORK_ENTITIES,
  routes: async () => (await import('./work.module.js')).WorkModule,
  records: [async () => (await import('./work-records.module.js')).WorkRecordsModule],
});
