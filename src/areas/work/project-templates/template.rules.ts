import { Problem, type Violation } from '#libs/kernel/problem.js';
import type { TemplateMilestone, TemplateTask } from './project-template.parts.js';

/** The parts of a template that reference each other. */
export interface TemplateParts {
  phases: string[];
  milestones: TemplateMilestone[];
  tasks: TemplateTask[];
}

const MAX_DEPTH = 3;

/**
 * Sorts the tasks so that parents and blockers precede their dependants.
 * @throws Problem 400 for a duplicate or unknown key, a cycle, or more than three levels.
 */
export function orderTasks({ phases, milestones, tasks }: TemplateParts): TemplateTask[] {
  const violations: Violation[] = [];
  const add = (pointer: string, code: string, detail: string) => violations.push({ pointer, code, detail });
  const milestoneKeys = keysOf(milestones, '/milestones', add);
  const taskKeys = keysOf(tasks, '/tasks', add);
  milestones.forEach(({ phase }, i) => {
    if (phase != null && !phases.includes(phase))
      add(`/milestones/${i}/phase`, 'unknown_key', 'There is no such phase.');
  });
  tasks.forEach(({ phase, milestone, parent, blockedBy = [] }, i) => {
    if (phase != null && !phases.includes(phase)) add(`/tasks/${i}/phase`, 'unknown_key', 'There is no such phase.');
    if (milestone != null && !milestoneKeys.has(milestone))
      add(`/tasks/${i}/milestone`, 'unknown_key', 'There is no such milestone.');
    if (parent != null && !taskKeys.has(parent)) add(`/tasks/${i}/parent`, 'unknown_key', 'There is no such task.');
    if (blockedBy.some((each) => !taskKeys.has(each)))
      add(`/tasks/${i}/blockedBy`, 'unknown_key', 'There is no such task.');
  });
  if (violations.length > 0) throw Problem.validation(violations);
  const depths = new Map<string, number>();
  const ordered: TemplateTask[] = [];
  for (let waiting = tasks; waiting.length > 0;) {
    const ready = waiting.filter(({ parent, blockedBy = [] }) =>
      [...(parent == null ? [] : [parent]), ...blockedBy].every((each) => depths.has(each)),
    );
    if (ready.length === 0)
      throw atTask(tasks, waiting[0]!, 'cycle', 'The task waits for itself or is a part of itself.');
    for (const task of ready) {
      const depth = task.parent == null ? 1 : depths.get(task.parent)! + 1;
      if (depth > MAX_DEPTH) throw atTask(tasks, task, 'too_deep', 'Tasks nest at most three deep.');
      depths.set(task.key, depth);
      ordered.push(task);
    }
    waiting = waiting.filter(({ key }) => !depths.has(key));
  }
  requireEnds(tasks);
  return ordered;
}

/**
 * A task waits for its blockers and for its parts.
 * @throws Problem 400 for a task that waits for itself and could never be completed.
 */
function requireEnds(tasks: TemplateTask[]): void {
  const awaited = new Map(
    tasks.map(({ key, blockedBy = [] }) => [
      key,
      [...blockedBy, ...tasks.filter(({ parent }) => parent === key).map((part) => part.key)],
    ]),
  );
  for (const task of tasks.filter(({ parent }) => parent != null)) {
    const seen = new Set(task.blockedBy);
    for (const key of seen) for (const next of awaited.get(key)!) seen.add(next); // also visits what it adds
    if (seen.has(task.key)) throw atTask(tasks, task, 'cycle', 'The task waits for one that it is a part of.');
  }
}

function keysOf(
  parts: { key: string }[],
  pointer: string,
  add: (pointer: string, code: string, detail: string) => void,
): Set<string> {
  const keys = new Set<string>();
  parts.forEach(({ key }, i) => {
    if (keys.has(key)) add(`${pointer}/${i}/key`, 'not_unique', 'The key occurs twice.');
    keys.add(key);
  });
  return keys;
}

function atTask(tasks: TemplateTask[], task: TemplateTask, code: string, detail: string): Problem {
  return Problem.validation([{ pointer: `/tasks/${tasks.indexOf(task)}`, code, detail }]);
}
