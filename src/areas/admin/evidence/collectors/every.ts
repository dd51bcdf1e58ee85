import type { Collector } from '../collector.js';
import { ACCESS } from './access.js';
import { AUDIT } from './audit.js';
import { AUTH } from './auth.js';
import { CHANGES } from './changes.js';
import { KEYS } from './keys.js';

/** All collectors, in the order of the items in a bundle. New ones go to the list of their subject. */
export const COLLECTORS: readonly Collector[] = [...ACCESS, ...AUDIT, ...AUTH, ...CHANGES, ...KEYS];
