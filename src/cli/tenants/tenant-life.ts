import type { TenantLife } from '#libs/tenants/tenant-life.js';
import type { TenantView } from '#libs/tenants/tenant.dto.js';
import { type CommandContext, type CommandRun, type GivenOptions, type Outcome, UsageError } from '../command.js';
import { withDirectory } from '../directory-access.js';
import { nameOf, slugOf, textOf } from '../values.js';

const MAX_REASON = 500;

/** `tenant rename` */
export const renameTenant: CommandRun = (given, context) => {
  const name = nameOf(given, 'name');
  return changed(
    given,
    context,
    (life) => life.rename(name),
    ({ slug }) => `The tenant ${slug} was renamed to ${name}.`,
  );
};

/** `tenant suspend` */
export const suspendTenant: CommandRun = (given, context) => {
  const reason = reasonOf(given);
  const said = ({ slug }: TenantView) => `The tenant ${slug} is suspended: its next request is refused.`;
  return changed(given, context, (life) => life.suspend(reason), said);
};

/** `tenant reactivate` */
export const reactivateTenant: CommandRun = (given, context) =>
  changed(
    given,
    context,
    (life) => life.reactivate(),
    ({ slug }) => `The tenant ${slug} is active again.`,
  );

/** `tenant close` */
export const closeTenant: CommandRun = (given, context) => {
  const reason = reasonOf(given);
  const said = ({ slug, closesAt }: TenantView) =>
    `The tenant ${slug} will be closed at ${closesAt}. Until then, you can cancel this with tenant cancel-closing.`;
  return changed(given, context, (life) => life.startClosing(reason), said);
};

/** `tenant cancel-closing` */
export const cancelClosing: CommandRun = (given, context) =>
  changed(
    given,
    context,
    (life) => life.cancelClosing(),
    ({ slug }) => `The closure of the tenant ${slug} was cancelled.`,
  );

async function changed(
  given: GivenOptions,
  { settings }: CommandContext,
  change: (life: TenantLife) => Promise<TenantView>,
  said: (tenant: TenantView) => string,
): Promise<Outcome> {
  const slug = slugOf(given, 'tenant');
  const {
    id,
    object: _object,
    ...tenant
  } = await withDirectory(settings(), async ({ tenants, register }) =>
    register.change(await tenants.get(slug), change),
  );
  return { json: { tenantId: id, ...tenant }, text: said({ id, object: _object, ...tenant }) };
}

function reasonOf(given: GivenOptions): string {
  const reason = textOf(given, 'reason')?.trim() ?? '';
  if (reason.length === 0 || reason.length > MAX_REASON || !reason.isWellFormed() || reason.includes('\0'))
    throw new UsageError(`--reason must be 1 to ${MAX_REASON} characters`);
  return reason;
}
