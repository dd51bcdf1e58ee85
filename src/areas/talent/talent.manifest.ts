import { area } from '../area.js';

export const talent = area({
  name: 'talent',
  tags: {
    'talent jobs': 'Open positions, with the stages of their applications.',
    'talent candidates': 'Candidates. Each shows the status of the most recently changed application.',
    'talent applications': 'Applications of candidates for jobs: move, reject, withdraw, reopen, hire.',
    'talent interviews': 'Interviews with candidates: schedule, interviewers, conflicts.',
    'talent scorecards':
      'Assessments by interviewers. You can read those of others after submitting your own; submitted scorecards cannot be changed.',
    'talent offers': 'Offers to candidates, from draft and approval to the decision.',
  },
  entities: async () => (await import('./talent.entities.js')).TALENT_ENTITIES,
  routes: async () => (await import('./talent.module.js')).TalentModule,
  records: [async () => (await import('./talent-records.module.js')).TalentRecordsModule],
});
