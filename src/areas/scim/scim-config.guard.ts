import { type CanActivate, Injectable } from '@nestjs/common';
import { Problem } from '#libs/kernel/problem.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { ScimCaller } from './scim-caller.js';

/** Last guard of SCIM routes: the configuration of the token is there and enabled. */
@Injectable()
export class ScimConfigGuard implements CanActivate {
  constructor(private readonly caller: ScimCaller) {}

  async canActivate(): Promise<boolean> {
    if (await this.isEnabled()) return true;
    // What is remembered may only let through: it may have been enabled since.
    await currentScope().refresh?.();
    if (await this.isEnabled()) return true;
    throw new Problem(
      'permission_denied',
      'The configuration of this token is disabled. An administrator can enable it.',
    );
  }

  private async isEnabled(): Promise<boolean> {
    return (await this.caller.config()).status === 'active';
  }
}
