import { Sales1763700000004 } from '../migrations/1763700000004-sales.js';
import { Accounts1763700000006 } from '../migrations/1763700000006-accounts.js';
import { PaymentTerms1763700000046 } from '../migrations/1763700000046-payment-terms.js';
import { StageRemoval1763700000263 } from '../migrations/1763700000263-stage-removal.js';

export const SALES_MIGRATIONS = [
  Sales1763700000004,
  Accounts1763700000006,
  PaymentTerms1763700000046,
  StageRemoval1763700000263,
];
