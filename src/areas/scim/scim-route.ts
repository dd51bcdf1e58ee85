import { applyDecorators, UseGuards } from '@nestjs/common';
import { Route, type RouteOptions } from '#libs/http/route.js';
import { SCIM } from './scim.dialect.js';
import { ScimConfigGuard } from './scim-config.guard.js';

export type ScimRouteOptions = Pick<
  RouteOptions,
  | 'id'
  | 'summary'
  | 'description'
  | 'status'
  | 'body'
  | 'answer'
  | 'emptyDescription'
  | 'query'
  | 'params'
  | 'problems'
  | 'example'
  | 'record'
  | 'tag'
>;

/** Declares a SCIM route: only a token of an enabled configuration can call it. */
export function ScimRoute(options: ScimRouteOptions): MethodDecorator {
  const tag = options.id.split('.').slice(0, 2).join(' ');
  return applyDecorators(
    UseGuards(ScimConfigGuard),
    Route({ tag, ...options, permission: 'any', credential: 'scim_token', dialect: SCIM }),
  );
}
