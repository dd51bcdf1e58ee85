import type { CreateTask } from './task.dto.js';

/** A task to be made from a template. Parent and blockers are named by their keys and stand before it. */
export interface PlannedTask {
  key: string;
  number: number;
  parent: string | null;
  blockedBy: string[];
  input: Partial<CreateTask> & { name: string };
}
