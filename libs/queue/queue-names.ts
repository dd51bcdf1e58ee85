/**
 * All queues of the platform. A new name must be added here first: the migration creates what the queue needs in
 * PostgreSQL, because the processes have no right to create it.
 */
export const QUEUE_NAMES = ['ai-jobs', 'webhook-deliveries'] as const;

/** Name of a queue: kebab-case, without colons. */
export type QueueName = (typeof QUEUE_NAMES)[number];
