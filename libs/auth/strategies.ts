import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { Strategy } from 'passport-strategy';
import type { Principal } from './principal.js';

/** What the guard hands to a strategy: how to accept the text of a credential. */
export interface StrategyOptions {
  accept(text: string): Promise<Principal>;
}

/** Reads a credential from one place of the request. A request without it is left to the next strategy. */
abstract class PresentedCredential extends Strategy {
  protected abstract read(request: FastifyRequest): string | null;

  override authenticate(request: object, options: unknown): void {
    const text = this.read(request as FastifyRequest);
    if (text === null) {
      this.fail(401);
      return;
    }
    (options as StrategyOptions).accept(text).then(
      (principal) => this.success(principal),
      (error: Error) => this.error(error),
    );
  }
}

class HeaderKey extends PresentedCredential {
  protected read(request: FastifyRequest): string | null {
    const text = request.headers['x-api-key'];
    return typeof text === 'string' ? text : null;
  }
}

class BearerKey extends PresentedCredential {
  protected read(request: FastifyRequest): string | null {
    return bearerOf(request.headers.authorization);
  }
}

/** The token of an `Authorization: Bearer` header; null for anything else. */
export function bearerOf(header: string | undefined): string | null {
  return /^bearer +([^\s]+) *$/i.exec(header ?? '')?.[1] ?? null;
}

/** `x-api-key: K`. The name is the one of the security scheme in the OpenAPI document. */
@Injectable()
export class ApiKeyStrategy extends PassportStrategy(HeaderKey, 'apiKey') {
  validate(): never {
    throw new Error('The credential is accepted by the guard.');
  }
}

/** `Authorization: Bearer K` together with `x-tenant-slug`. */
@Injectable()
export class BearerKeyStrategy extends PassportStrategy(BearerKey, 'bearerAuth') {
  validate(): never {
    throw new Error('The credential is accepted by the guard.');
  }
}
