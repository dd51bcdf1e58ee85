import { Intelligence1763700000016 } from '../migrations/1763700000016-intelligence.js';
import { Secrets1763700000024 } from '../migrations/1763700000024-secrets.js';
import { AiPolicy1763700000025 } from '../migrations/1763700000025-ai-policy.js';
import { AiJobs1763700000026 } from '../migrations/1763700000026-ai-jobs.js';
import { AiMoney1763700000027 } from '../migrations/1763700000027-ai-money.js';

export const AI_MIGRATIONS = [
  Intelligence1763700000016,
  Secrets1763700000024,
  AiPolicy1763700000025,
  AiJobs1763700000026,
  AiMoney1763700000027,
];
