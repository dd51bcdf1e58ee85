import { Finance1763700000008 } from '../migrations/1763700000008-finance.js';
import { Payments1763700000009 } from '../migrations/1763700000009-payments.js';
import { UsedNumberings1763700000075 } from '../migrations/1763700000075-used-numberings.js';

export const FINANCE_MIGRATIONS = [Finance1763700000008, Payments1763700000009, UsedNumberings1763700000075];
