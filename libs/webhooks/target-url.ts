import type { Violation } from '#libs/kernel/problem.js';
import { vetHost } from '#libs/outbound/host-vetting.js';
import type { Vetting, VettingOptions } from '#libs/outbound/host-vetting.js';
import { readTarget } from '#libs/outbound/target.js';
import type { UrlFault, UrlFaultCode } from '#libs/outbound/target.js';

/** Stable codes of a rejected webhook target. */
export type TargetUrlCode = UrlFaultCode | 'unresolvable_host';

/**
 * Checks the URL of a webhook endpoint when it is created or its URL is changed. Returns no violations if the URL may
 * be stored.
 *
 * Form: `https:`, at most 2,048 characters, no user name, no fragment, a name of the public DNS (no IP address, no
 * single label, not below `.local`, `.internal`, `.localhost`), port 443 or above 1023. The name is resolved now and
 * rejected if any address is not public, or is in `deniedCidrs` (`address_not_allowed`, without naming the address).
 * All violations are listed.
 *
 * A name that does not exist in DNS, or has no address, is rejected (`unresolvable_host`), because it is a typing
 * error. If DNS does not respond (timeout, server failure), the URL is accepted, because every delivery resolves and
 * checks it again.
 *
 * `http:`, IP addresses, `localhost` and any port are accepted if all addresses are in `allowedCidrs`; for these, the
 * URL is therefore rejected if DNS is unavailable.
 */
export async function checkTargetUrl(text: string, options: VettingOptions): Promise<Violation[]> {
  const target = readTarget(text);
  if (target.url === null) return target.faults.map(violation);
  const mayResolve = !target.faults.some(({ code }) => code === 'host_not_allowed');
  const vetting = mayResolve ? await vetHost(target.host, options) : null;
  const isInside = vetting?.outcome === 'vetted' && vetting.inside;
  const failures = [...target.faults, ...(isInside ? [] : target.privateOnly)].map(violation);
  const refusal = vetting && REFUSALS[vetting.outcome];
  if (refusal && !failures.some(({ code }) => code === 'address_not_allowed'))
    failures.push(violation({ code: 'address_not_allowed', detail: refusal }));
  if (vetting?.outcome === 'not_found')
    failures.push(violation({ code: 'unresolvable_host', detail: 'The host name has no address.' }));
  return failures;
}

const REFUSALS: Partial<Record<Vetting['outcome'], string>> = {
  blocked: 'The host is not on the public internet.',
  denied: 'The host is in a network that the platform does not call.',
};

function violation({ code, detail }: Omit<UrlFault, 'code'> & { code: TargetUrlCode }): Violation {
  return { pointer: '/url', code, detail };
}
