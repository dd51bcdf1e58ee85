/** Relations that a caller can set, with the inverse shown on the other record. */
export const INVERSES = {
  relates_to: 'relates_to',
  blocks: 'blocked_by',
  duplicates: 'duplicated_by',
  caused_by: 'causes',
  derived_from: 'source_of',
} as const;

/** Relations that a caller can set. */
export type Relation = keyof typeof INVERSES;

/** Relations that a record can show. */
export type ShownRelation = Relation | (typeof INVERSES)[Relation];

export const RELATIONS = Object.keys(INVERSES) as Relation[];

export const SHOWN_RELATIONS: ShownRelation[] = [...new Set([...RELATIONS, ...Object.values(INVERSES)])];
