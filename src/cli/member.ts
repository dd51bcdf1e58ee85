import type { CommandRun } from './command.js';
import { withDirectory } from './directory-access.js';
import { emailOf, nameOf, required, slugOf } from './values.js';

/** `member add` */
export const addMember: CommandRun = async (given, { settings }) => {
  const slug = slugOf(given, 'tenant');
  required(given, 'email');
  const email = emailOf(given, 'email')!;
  const name = nameOf(given, 'name');
  const id = await withDirectory(settings(), async ({ tenants, members }) =>
    members.add(await tenants.get(slug), { email, name }),
  );
  return { json: { id, email, name }, text: `Made ${name} <${email}> a member of the tenant ${slug}: ${id}` };
};
