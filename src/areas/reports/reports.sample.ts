import type { SampleStory } from '#libs/resource/sample/sample-story.js';
import { USUAL_ROWS } from './query/question.js';
import type { Report } from './stored/report.js';

type Question = Pick<Report, 'name' | 'description' | 'recordType' | 'filter' | 'dimensions' | 'measures' | 'sort'>;

const REPORTS: readonly Question[] = [
  {
    ...{ name: 'Sample: won deals by month', description: 'Number and value.', recordType: 'sales.deal' },
    ...{ filter: { status: 'won' }, dimensions: [{ field: 'closedAt', bucket: 'month' }], sort: ['closedAt_month'] },
    measures: [{ aggregate: 'count' }, { aggregate: 'sum', field: 'valueMinor' }],
  },
  {
    ...{ name: 'Sample: open deals by stage', description: 'Number and value.', recordType: 'sales.deal' },
    ...{ filter: { status: 'open' }, dimensions: [{ field: 'stage' }], sort: [] },
    measures: [{ aggregate: 'count' }, { aggregate: 'sum', field: 'valueMinor' }],
  },
];

/** Reports of the owner of the sample data, who shares them with everybody. */
export function reportsSample(story: SampleStory): void {
  if (story.memberId === null) return;
  const createdAt = story.at(45);
  REPORTS.forEach((each, index) =>
    story.object(`report ${index}`, 'data.reports', {
      ...{ ...each, version: 1, maxRows: USUAL_ROWS, shared: 'tenant', workspaceId: null, ownerId: story.memberId },
      ...{
        schedule: null,
        pausedAt: null,
        pausedReason: null,
        createdBy: story.author,
        createdAt,
        updatedAt: createdAt,
      },
    }),
  );
}
