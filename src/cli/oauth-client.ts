import { OauthClientRegister } from '#libs/auth/oauth-clients.js';
import type { Settings } from '#libs/config/settings.js';
import type { CommandRun } from './command.js';
import { withDirectory } from './directory-access.js';
import { tableOf } from './table-text.js';
import { idOf, nameOf, redirectUrisOf, scopesOf } from './values.js';

/** Names are shown in sentences and in actor names. */
const NAME_LENGTH = 80;

const withClients = <T>(settings: Settings, work: (clients: OauthClientRegister) => Promise<T>): Promise<T> =>
  withDirectory(settings, ({ database, clock }) => work(new OauthClientRegister(database, clock)));

/** `oauth-client create` */
export const createOauthClient: CommandRun = async (given, { settings }) => {
  const name = nameOf(given, 'name', NAME_LENGTH);
  const terms = { name, redirectUris: redirectUrisOf(given, 'redirect-uri'), scopes: scopesOf(given, 'scopes') };
  const confidential = given['confidential'] === true;
  const { id, secret } = await withClients(settings(), (clients) => clients.create(terms, confidential));
  return {
    json: { clientId: id, ...(secret === null ? {} : { clientSecret: secret }) },
    text: [
      `Registered the partner "${name}" with the client id ${id}. Allowed scopes: ${terms.scopes.join(', ')}.`,
      ...(secret === null ? [] : [`Secret, shown only once: ${secret}`]),
    ].join('\n'),
  };
};

/** `oauth-client list` */
export const listOauthClients: CommandRun = async (_given, { settings }) => {
  const all = await withClients(settings(), (clients) => clients.list());
  const shown = all.map(({ id: clientId, secretHash, ...client }) => ({
    clientId,
    ...client,
    confidential: secretHash !== null,
    status: client.suspendedAt === null ? 'active' : 'suspended',
  }));
  return {
    json: { data: shown },
    text: tableOf(
      ['ID', 'STATUS', 'CONFIDENTIAL', 'NAME', 'SCOPES', 'REDIRECT URIS'],
      shown.map(({ clientId, status, confidential, name, allowedScopes, redirectUris }) => [
        clientId,
        status,
        confidential ? 'yes' : 'no',
        name,
        allowedScopes.join(','),
        redirectUris.join(' '),
      ]),
    ),
  };
};

/** `oauth-client suspend` */
export const suspendOauthClient: CommandRun = async (given, { settings }) => {
  const clientId = idOf(given, 'id');
  const suspendedAt = await withClients(settings(), (clients) => clients.suspend(clientId));
  return { json: { clientId, suspendedAt }, text: `The client ${clientId} has been suspended since ${suspendedAt}.` };
};

/** `oauth-client activate` */
export const activateOauthClient: CommandRun = async (given, { settings }) => {
  const clientId = idOf(given, 'id');
  await withClients(settings(), (clients) => clients.activate(clientId));
  return { json: { clientId, suspendedAt: null }, text: `The client ${clientId} is active.` };
};
