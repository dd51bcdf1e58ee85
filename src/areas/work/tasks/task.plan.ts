import type { TaskInput } from './task.js';

/** A task to create from a template. Parent and blockers are referenced by key and precede it. */
export interface PlannedTask {
  key: string;
  number: number;
  parent: string | null;
  blockedBy: string[];
  input: TaskInput & { name: string };
}
