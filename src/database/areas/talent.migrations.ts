import { Talent1763700000011 } from '../migrations/1763700000011-talent.js';
import { InterviewScorecards1763700000114 } from '../migrations/1763700000114-interview-scorecards.js';

export const TALENT_MIGRATIONS = [Talent1763700000011, InterviewScorecards1763700000114];
