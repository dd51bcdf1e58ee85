import type { EntityClass } from '#libs/database/data-source.js';
import { Account } from './accounts/account.entity.js';
import { Contact } from './contacts/contact.entity.js';
import { Deal } from './deals/deal.entity.js';
import { Lead } from './leads/lead.entity.js';
import { Pipeline } from './pipelines/pipeline.entity.js';
import { Product } from './products/product.entity.js';

export const SALES_ENTITIES: EntityClass[] = [Account, Contact, Deal, Lead, Pipeline, Product];
