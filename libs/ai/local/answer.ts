/** Result of an offline method: text, or a value that matches the schema of its kind. */
export type LocalAnswer = { text: string } | { json: object };
