import { Delete, Get, Patch, Post } from '@nestjs/common';
import { Route, type RouteOptions } from '#libs/http/route.js';
import type { GovernedDefinition } from '../types/governed-type.js';
import { Deleted, pageOf } from '../types/record.dto.js';

/** What a controller says about one route; the rest follows from the type and the verb. */
type Said = Partial<Omit<RouteOptions, 'id'>> & { summary: string };
type Common = Pick<RouteOptions, 'permission'> & Partial<Omit<RouteOptions, 'id'>>;

/**
 * The decorators of the usual routes of a governed type. Problems are added to those of the verb, all other options
 * replace what follows from it.
 * @param prefix of its operation ids, e.g. `settings.tags`
 * @param common options of all of its routes
 */
export function routesOf(
  { view, create, update }: Pick<GovernedDefinition<never>, 'view' | 'create' | 'update'>,
  prefix: string,
  common: Common,
) {
  const route =
    (name: string, method: MethodDecorator, usual: Pick<RouteOptions, 'answer'> & Partial<RouteOptions>) =>
    (said: Said): MethodDecorator =>
    (target, key, descriptor) => {
      method(target, key, descriptor);
      const problems = [...(usual.problems ?? []), ...(said.problems ?? [])];
      const id = `${prefix}.${name}`;
      Route({ ...usual, ...common, ...said, id, ...(problems.length > 0 && { problems }) })(target, key, descriptor);
    };
  const one = { answer: view, record: true };
  return {
    list: route('list', Get(), { answer: pageOf(view), problems: ['cursor_invalid'] }),
    create: route('create', Post(), { ...one, body: create, status: 201 }),
    read: route('get', Get(':id'), { ...one, problems: ['not_found'] }),
    update: route('update', Patch(':id'), { ...one, body: update, problems: ['not_found', 'version_mismatch'] }),
    remove: route('delete', Delete(':id'), { answer: Deleted, problems: ['not_found', 'version_mismatch'] }),
    act: (action: string, said: Said) =>
      route(action.replaceAll('-', '_'), Post(`:id/${action}`), {
        ...one,
        problems: ['not_found', 'invalid_transition', 'version_mismatch'],
      })(said),
  };
}
