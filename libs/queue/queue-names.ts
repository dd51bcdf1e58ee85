/**
 * Every queue of the platform. A new name goes here first: the migration makes what the queue needs in PostgreSQL, where
 * the processes themselves may create nothing.
 */
export const QUEUE_NAMES = ['ai-jobs', 'webhook-deliveries'] as const;

/** Name of a queue; kebab-case, without colons. */
export type QueueName = (typeof QUEUE_NAMES)[number];
