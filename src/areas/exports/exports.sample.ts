import type { SampleStory } from '#libs/resource/sample/sample-story.js';

/** A paused schedule of the owner of the sample data: it shows how one looks, and sends nothing. */
export function exportsSample(story: SampleStory): void {
  if (story.memberId === null) return;
  const createdAt = story.at(30);
  story.object('export schedule', 'data.export_schedules', {
    ...{
      name: 'Sample: won deals of the month',
      type: 'sales.deal',
      format: 'xlsx',
      locale: 'en',
      byteOrderMark: false,
    },
    ...{ query: { status: 'won', sort: '-closedAt', include: 'account' }, cron: '0 7 1 * *', timeZone: 'UTC' },
    ...{ recipientIds: [], paused: true, pausedReason: null, version: 1 },
    ...{ ownerId: story.memberId, guarantor: { type: 'member', id: story.memberId }, createdAt, updatedAt: createdAt },
  });
}
