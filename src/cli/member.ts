import type { CommandRun } from './command.js';
import { withDirectory } from './directory-access.js';
import { emailOf, nameOf, required, slugOf, textOf } from './values.js';

const DEFAULT_ROLE = 'member';

/** `member add` */
export const addMember: CommandRun = async (given, { settings }) => {
  const slug = slugOf(given, 'tenant');
  required(given, 'email');
  const email = emailOf(given, 'email')!;
  const name = nameOf(given, 'name');
  const role = textOf(given, 'role') ?? DEFAULT_ROLE;
  const id = await withDirectory(settings(), async ({ tenants, members }) =>
    members.add(await tenants.get(slug), { email, name, role }),
  );
  return {
    json: { id, email, name, role },
    text: `Added ${name} <${email}> to the tenant ${slug} with the role ${role}: ${id}`,
  };
};
