import { Talent1763700000011 } from '../migrations/1763700000011-talent.js';
import { InterviewScorecards1763700000114 } from '../migrations/1763700000114-interview-scorecards.js';
import { TemplateOfHire1763700000187 } from '../migrations/1763700000187-template-of-hire.js';

export const TALENT_MIGRATIONS = [Talent1763700000011, InterviewScorecards1763700000114, TemplateOfHire1763700000187];
