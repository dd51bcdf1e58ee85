import { ActionMaker } from './action-maker.js';
import { AgentPace } from './agent-pace.js';
import { CallSettlement } from './call-settlement.js';
import { CallsRepository } from './calls.repository.js';
import { Conversation } from './conversation.js';
import { HeldJobs } from './held-jobs.js';
import { JobCloser } from './job-closer.js';
import { JobConsumer } from './job.consumer.js';
import { JobQueueRepository } from './job-queue.repository.js';
import { JobRunner } from './job-runner.js';
import { JobScheduler } from './job.scheduler.js';
import { JobStarter } from './job-starter.js';
import { JobSweeps } from './job-sweeps.js';
import { ModelCaller } from './model-caller.js';
import { OfferedTools } from './offered-tools.js';
import { Toolbox } from './toolbox.js';

/** What the worker runs jobs with; it needs the queues, and what the worker has for webhooks. */
export const AI_RUNS = [
  ActionMaker,
  AgentPace,
  CallSettlement,
  CallsRepository,
  Conversation,
  HeldJobs,
  JobCloser,
  JobConsumer,
  JobQueueRepository,
  JobRunner,
  JobScheduler,
  JobStarter,
  JobSweeps,
  ModelCaller,
  OfferedTools,
  Toolbox,
];
