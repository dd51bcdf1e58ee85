import { Controller, Delete, Get, Patch, Post, Put } from '@nestjs/common';
import { ScimError } from '#libs/scim-language/scim-error.js';
import { ScimRoute, type ScimRouteOptions } from './scim-route.js';
import { ScimUser } from './scim.models.js';

const me = (verb: string, summary: string, status?: 201): ScimRouteOptions => ({
  id: `scim.me.${verb}`,
  summary,
  description: 'Always 501: the token of a configuration acts for no user.',
  answer: ScimUser,
  ...(status && { status }),
  problems: ['not_implemented'],
});

/** `/Me` requires a signed-in user, and an identity provider is not one. `Source:` RFC 7644 section 3.11. */
@Controller('api/scim/v2/Me')
export class MeController {
  @ScimRoute(me('get', 'Read the own user'))
  @Get()
  get(): never {
    return nobody();
  }

  @ScimRoute(me('create', 'Make the own user', 201))
  @Post()
  create(): never {
    return nobody();
  }

  @ScimRoute(me('replace', 'Replace the own user'))
  @Put()
  replace(): never {
    return nobody();
  }

  @ScimRoute(me('update', 'Change the own user'))
  @Patch()
  update(): never {
    return nobody();
  }

  @ScimRoute(me('delete', 'Delete the own user'))
  @Delete()
  remove(): never {
    return nobody();
  }
}

function nobody(): never {
  throw new ScimError(501, 'This token acts for no user: use /Users.');
}
