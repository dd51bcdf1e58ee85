import type { EntityClass } from '#libs/database/data-source.js';
import { Onboarding } from './onboarding/onboarding.js';

export const SETUP_ENTITIES: EntityClass[] = [Onboarding];
