import type { EntityClass } from '#libs/database/data-source.js';
import { Account } from './accounts/account.js';
import { Contact } from './contacts/contact.js';
import { Deal } from './deals/deal.js';
import { Lead } from './leads/lead.js';
import { Pipeline } from './pipelines/pipeline.js';

export const SALES_ENTITIES: EntityClass[] = [Account, Contact, Deal, Lead, Pipeline];
