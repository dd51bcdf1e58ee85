import type { Collector } from '../collector.js';
import { ACCESS } from './access.js';
import { ACCESS_REVIEWS } from './access-reviews.js';
import { AUDIT } from './audit.js';
import { AUTH } from './auth.js';
import { CHANGES } from './changes.js';
import { KEYS } from './keys.js';
import { POSTURE } from './posture.js';
import { RETENTION } from './retention.js';
import { SERVICE } from './service.js';

/** All collectors, in the order of the items in a bundle. New ones go to the list of their subject. */
export const COLLECTORS: readonly Collector[] = [
  ...ACCESS,
  ...ACCESS_REVIEWS,
  ...AUDIT,
  ...AUTH,
  ...CHANGES,
  ...KEYS,
  ...POSTURE,
  ...RETENTION,
  ...SERVICE,
];
