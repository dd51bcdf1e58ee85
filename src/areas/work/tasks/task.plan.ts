import type { TaskInput } from './task.js';

/** A task to be made from a template. Parent and blockers are named by their keys and stand before it. */
export interface PlannedTask {
  key: string;
  number: number;
  parent: string | null;
  blockedBy: string[];
  input: TaskInput & { name: string };
}
