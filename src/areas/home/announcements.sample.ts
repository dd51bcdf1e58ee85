import type { SampleStory } from '#libs/resource/sample/sample-story.js';

/** An announcement to everybody. */
export function announcementsSample(story: SampleStory): void {
  const createdAt = story.at(2, 9);
  story.object('announcement', 'data.home_announcements', {
    ...{ version: 1, title: 'Sample: summary of the quarter', workspaceId: null, until: story.at(-14, 18) },
    body: 'Four new contracts, and the **patient portal** is almost accepted. Thank you all.',
    ...{ createdBy: story.author, createdAt, updatedAt: createdAt },
  });
}
