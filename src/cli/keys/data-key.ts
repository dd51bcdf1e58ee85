import type { CommandRun } from '../command.js';
import { withDirectory } from '../directory-access.js';
import { tableOf } from '../table-text.js';

/** `data-key list` */
export const listDataKeys: CommandRun = async (given, { settings }) => {
  const versions = await withDirectory(settings(), async ({ tenants, dataKeys }) => {
    const tenant = await tenants.get(String(given['tenant']));
    return dataKeys.versions(tenant.id);
  });
  return {
    json: { data: versions },
    text: tableOf(
      ['VERSION', 'CREATED', 'UNUSED SINCE'],
      versions.map(({ version, createdAt, unusedSince }) => [String(version), createdAt, unusedSince ?? '']),
    ),
  };
};

/** `data-key rotate` */
export const rotateDataKeys: CommandRun = async (given, { settings }) => {
  const slug = given['tenant'];
  const tenants = await withDirectory(settings(), async ({ tenants, dataKeys }) => {
    if (slug === undefined) return dataKeys.rotateAll(await tenants.list());
    await dataKeys.rotate(await tenants.get(String(slug)));
    return 1;
  });
  const text =
    slug === undefined ? `${tenants} tenants have a new data key.` : `The tenant ${String(slug)} has a new data key.`;
  return { json: { tenants }, text: `${text} The worker now seals stored values again.` };
};
