/**
 * Every queue of the platform. Add a new name here first: the migration creates what the queue needs in PostgreSQL,
 * because the processes may not create anything.
 */
export const QUEUE_NAMES = ['ai-jobs', 'webhook-deliveries'] as const;

/** Name of a queue; kebab-case, without colons. */
export type QueueName = (typeof QUEUE_NAMES)[number];
