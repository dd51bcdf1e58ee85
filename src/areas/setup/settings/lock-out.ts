import { AllowedAddresses } from '#libs/kernel/network.js';
import type { Violation } from '#libs/kernel/problem.js';
import type { SecuritySettings } from '#libs/settings/settings.model.js';
import { currentScope } from '#libs/tenancy/scope.js';

/** Prevents callers from locking themselves out with the list of addresses. */
export function lockOutViolations({ ipAllowList }: Partial<SecuritySettings>): Violation[] {
  const { clientIp } = currentScope();
  if (!ipAllowList?.length || clientIp === null || new AllowedAddresses(ipAllowList).has(clientIp)) return [];
  const detail = `Your address ${clientIp} is not in the list: this would lock you out.`;
  return [{ pointer: '/security/ipAllowList', code: 'own_address_missing', detail }];
}
