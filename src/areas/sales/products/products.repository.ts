import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/resource.repository.js';
import { Product } from './product.entity.js';

@Injectable()
export class ProductsRepository extends ResourceRepository<Product> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Product);
  }
}
