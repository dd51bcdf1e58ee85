import { Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';

/** The OpenAPI document of the app, for other code that uses it. Built on first use. */
@Injectable()
export class ApiDocument {
  private load: (() => Promise<OpenAPIObject>) | null = null;

  /** Sets the source of the document; called once, when the app is created. */
  comesFrom(load: () => Promise<OpenAPIObject>): void {
    this.load = load;
  }

  /** @throws Error if the app has not been created yet. */
  read(): Promise<OpenAPIObject> {
    if (!this.load) throw new Error('Nobody has said where the OpenAPI document comes from.');
    return this.load();
  }
}
