import { Finance1763700000008 } from '../migrations/1763700000008-finance.js';
import { Payments1763700000009 } from '../migrations/1763700000009-payments.js';
import { UsedNumberings1763700000075 } from '../migrations/1763700000075-used-numberings.js';
import { Dunning1763700000175 } from '../migrations/1763700000175-dunning.js';
import { InvoicedProjects1763700000176 } from '../migrations/1763700000176-invoiced-projects.js';
import { MonthEnds1763700000177 } from '../migrations/1763700000177-month-ends.js';
import { CreditedSources1763700000270 } from '../migrations/1763700000270-credited-sources.js';

export const FINANCE_MIGRATIONS = [
  Finance1763700000008,
  Payments1763700000009,
  UsedNumberings1763700000075,
  Dunning1763700000175,
  InvoicedProjects1763700000176,
  MonthEnds1763700000177,
  CreditedSources1763700000270,
];
