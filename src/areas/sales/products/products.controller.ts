import { Controller } from '@nestjs/common';
import { pathOf } from '#libs/resource/definition.js';
import { ResourceController } from '#libs/resource/resource.controller.js';
import { productResource } from './product.resource.js';
import { ProductsService } from './products.service.js';

@Controller(pathOf(productResource))
export class ProductsController extends ResourceController(productResource) {
  constructor(service: ProductsService) {
    super(service);
  }
}
