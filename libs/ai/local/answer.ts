/** What an offline method found: text, or a value that fits the schema of its kind. */
export type LocalAnswer = { text: string } | { json: object };
