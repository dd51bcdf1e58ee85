import type { Room } from '../../area.js';
import { products } from './product.js';
import { ProductsService } from './products.service.js';

export const productsRoom: Room = { type: products, service: ProductsService };
