/** Ordered values. They are stored as ranks so that an index sorts them by meaning. */
export class Ranks<W extends string> {
  constructor(readonly words: readonly W[]) {}

  rankOf(word: W): number {
    return this.words.indexOf(word);
  }

  wordOf(rank: number): W {
    return this.words[rank]!;
  }
}

export const PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent'] as const;
export type Priority = (typeof PRIORITIES)[number];
export const priorityRanks = new Ranks<Priority>(PRIORITIES);
