import { Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';

/** The OpenAPI document of the app, for what is made from it. It is built when it is first asked for. */
@Injectable()
export class ApiDocument {
  private load: (() => Promise<OpenAPIObject>) | null = null;

  /** Says where it comes from; once, when the app is put together. */
  comesFrom(load: () => Promise<OpenAPIObject>): void {
    this.load = load;
  }

  /** @throws Error before the app is put together. */
  read(): Promise<OpenAPIObject> {
    if (!this.load) throw new Error('Nobody has said where the OpenAPI document comes from.');
    return this.load();
  }
}
