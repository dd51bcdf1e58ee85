import type { SampleStory } from '#libs/resource/sample/sample-story.js';

/** A comment: type and key of the record, days ago, text. */
const COMMENTS = [
  ['sales.deal', 'deal 16', 12, 'The buyer wants to see the figures of the first depot before signing.'],
  ['sales.deal', 'deal 17', 6, 'Legal has approved the contract. Waiting for the board.'],
  ['sales.account', 'account 3', 30, 'Prefers calls in the morning.'],
  ['work.project', 'project DEMOGRID', 9, 'Two source systems are late; the target date has to move.'],
  ['work.project', 'project DEMOSENSOR', 10, 'On hold until the customer has ordered the kits.'],
  ['finance.invoice', 'invoice 10', 8, 'Called accounts payable: payment is planned for next week.'],
  ['talent.candidate', 'candidate 1', 4, 'Strong in system design. The team would like to work with them.'],
] as const;

/** Comments on records of several areas. */
export function commentsSample(story: SampleStory): void {
  for (const [object, key, daysAgo, body] of COMMENTS) {
    const at = story.at(daysAgo, 14);
    story.detail('data.comments', {
      ...{ object, recordId: story.id(key), version: 1, createdAt: at, createdBy: story.author, updatedAt: at },
      ...{ updatedBy: story.author, parentId: null, body, visibility: 'internal', mentions: [] },
      ...{ authorId: story.memberId, deletedAt: null },
    });
  }
}
