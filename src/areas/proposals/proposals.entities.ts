import type { EntityClass } from '#libs/database/data-source.js';
import { Proposal } from './proposals/proposal.js';

export const PROPOSALS_ENTITIES: EntityClass[] = [Proposal];
