import { isEveryAddress } from '#libs/kernel/network.js';
import { type Definition, partsOf, SettingsError, url } from './setting.js';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether a URL points to this machine, so that requests do not cross a network. */
export function isLocal({ hostname }: URL): boolean {
  return LOOPBACK.test(hostname);
}

export const mailServer = (): Definition<string | null> => {
  const plain = url(
    'Mail server: `smtps://user:password@host` for implicit TLS, `smtp://user:password@host:587` for STARTTLS, which is required unless the server is on this machine. Without it, the worker logs the subject and link of each mail (invitations, failing webhook endpoints)',
    ['smtp:', 'smtps:'],
  );
  return {
    ...plain,
    parse: (value, env) => {
      const parsed = plain.parse(value, env);
      if (parsed === null) return null;
      if (new URL(parsed).hostname === '') throw new SettingsError('has no host');
      if (!env['MAIL_FROM']?.trim()) throw new SettingsError('needs MAIL_FROM, the sender address');
      return parsed;
    },
  };
};

export const mailSender = (): Definition<string | null> => ({
  description: 'Sender of mail, `name@example.com` or `Name <name@example.com>`. Required with `SMTP_URL`',
  defaultText: 'none',
  parse: (value) => {
    if (value !== undefined && !/^(?:[^<>@\r\n]{1,100} <([^<>@\s]+@[^<>@\s]+)>|[^<>@\s]+@[^<>@\s]+)$/.test(value))
      throw new SettingsError('must be an address, alone or as "Name <name@example.com>"');
    return value ?? null;
  },
});

/** Refused where nobody could open the links that people get: without an address in production, and with that of all addresses. */
export const publicAddress = (): Definition<string | null> => {
  const address = url(
    'Public URL of the API, such as `https://api.example.com`: every link that people get begins with it, and so do absolute URLs in responses. Required when `NODE_ENV=production`; otherwise `http://`, `HOST` (`localhost` if it stands for all addresses) and `PORT`. An address that means all addresses, such as `0.0.0.0`, is refused',
    ['http:', 'https:'],
  );
  return {
    ...address,
    parse: (value, env) => {
      const given = address.parse(value, env);
      if (given === null && env['NODE_ENV'] === 'production')
        throw new SettingsError(
          'is required when NODE_ENV=production, because links in mails begin with it (such as https://api.example.com)',
        );
      if (given === null) return null;
      const { search, hash, username, hostname } = new URL(given);
      if (search !== '' || hash !== '' || username !== '')
        throw new SettingsError('must have no query, fragment or user name');
      if (isEveryAddress(hostname.replace(/^\[|\]$/g, '')))
        throw new SettingsError(`must be an address that people can open, not "${given}"`);
      return given;
    },
  };
};

export const invitationPage = (): Definition<string | null> => ({
  description: 'Page that invitation links lead to, with `{token}` in place of the token',
  defaultText: 'the API’s own `/api/invitations/{token}` at `PUBLIC_URL`',
  parse: (value) => {
    if (value === undefined) return null;
    if (!/^https?:\/\//.test(value) || !URL.canParse(value) || value.split('{token}').length !== 2)
      throw new SettingsError('must be an http or https URL with {token} in it once');
    return value;
  },
});

export const issuer = (): Definition<string | null> => ({
  description:
    'Issuer of the OpenID provider for sign-in, exactly as in the `iss` of its tokens, with `https:` (or `http:` on this machine). Without it nobody can sign in; API keys still work',
  defaultText: 'none',
  parse: (value, env) => {
    if (value === undefined) return null;
    const parsed = URL.parse(value);
    if (!parsed || (parsed.protocol !== 'https:' && !(parsed.protocol === 'http:' && isLocal(parsed))))
      throw new SettingsError('must start with https://');
    if (parsed.search !== '' || parsed.hash !== '' || parsed.username !== '')
      throw new SettingsError('must have no query, fragment or user name');
    if (!env['OIDC_AUDIENCE']?.trim() && !env['OIDC_CLIENT_ID']?.trim())
      throw new SettingsError(
        'needs OIDC_CLIENT_ID, the client id of the platform, or OIDC_AUDIENCE, those of your apps',
      );
    return value;
  },
});

export const multiFactorAcr = (): Definition<string[]> => ({
  description:
    'Values of `acr` in ID tokens that stand for a sign-in with a second factor, comma-separated; `none` if only `amr` counts',
  defaultText: '`http://schemas.openid.net/pape/policies/2007/06/multi-factor,phr,phrh`',
  parse: (value) => {
    if (value === 'none') return [];
    return partsOf(value ?? 'http://schemas.openid.net/pape/policies/2007/06/multi-factor,phr,phrh');
  },
});

/** Origins of web pages. `*` is not accepted, because it would allow every page to send credentials. */
export const origins = (description: string): Definition<string[]> => ({
  description,
  defaultText: 'none',
  parse: (value) =>
    partsOf(value).map((part) => {
      const parsed = URL.parse(part);
      if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.origin !== part.replace(/\/$/, ''))
        throw new SettingsError(`"${part}" is not an origin such as https://console.example.com`);
      return parsed.origin;
    }),
});

const PLANS = ['free', 'starter', 'business', 'enterprise'] as const;

/** Off in production by default: anyone known to the identity provider can sign in. */
export const selfServicePlans = (): Definition<(typeof PLANS)[number][]> => ({
  description:
    'Plans of which signed-in people may create tenants for themselves (`POST /api/bootstrap/tenants`), separated by commas; `none` allows only operators',
  defaultText: '`none` when `NODE_ENV=production`, otherwise `free,starter,business`',
  parse: (value, env) => {
    const text = value ?? (env['NODE_ENV'] === 'production' ? 'none' : 'free,starter,business');
    if (text === 'none') return [];
    return partsOf(text).map((part) => {
      const plan = PLANS.find((each) => each === part);
      if (!plan) throw new SettingsError(`"${part}" is none of the plans ${PLANS.join(', ')}`);
      return plan;
    });
  },
});
