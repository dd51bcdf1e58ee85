import { Work1763700000007 } from '../migrations/1763700000007-work.js';
import { DeliveryControl1763700000150 } from '../migrations/1763700000150-delivery-control.js';
import { Cycles1763700000180 } from '../migrations/1763700000180-cycles.js';
import { TaskStates1763700000181 } from '../migrations/1763700000181-task-states.js';
import { FollowUps1763700000182 } from '../migrations/1763700000182-follow-ups.js';
import { ProjectTaskStates1763700000186 } from '../migrations/1763700000186-project-task-states.js';
import { MilestoneCurrencies1763700000201 } from '../migrations/1763700000201-milestone-currencies.js';
import { StoppedTimers1763700000202 } from '../migrations/1763700000202-stopped-timers.js';
import { AnonymousTime1763700000260 } from '../migrations/1763700000260-anonymous-time.js';
import { WaitingTasks1763700000280 } from '../migrations/1763700000280-waiting-tasks.js';

export const WORK_MIGRATIONS = [
  Work1763700000007,
  DeliveryControl1763700000150,
  Cycles1763700000180,
  TaskStates1763700000181,
  FollowUps1763700000182,
  ProjectTaskStates1763700000186,
  MilestoneCurrencies1763700000201,
  StoppedTimers1763700000202,
  AnonymousTime1763700000260,
  WaitingTasks1763700000280,
];
