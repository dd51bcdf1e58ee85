import { type Definition, SettingsError } from './setting.js';

/** A bucket of a service with the interface of S3. */
export interface Bucket {
  name: string;
  region: string;
  /** Null for that of AWS. */
  endpoint: string | null;
}

const PARAMETERS = ['region', 'endpoint'];

/** The store of files. */
export const fileStore = (): Definition<Bucket | null> => ({
  description:
    'Bucket of a service with the interface of S3, as `s3://bucket?region=eu-central-1&endpoint=https://s3.example.com` (both parameters are optional), in which the bytes of files are stored. Credentials come from the environment (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`), a profile or the role of the machine. Without it, they are stored in `DATA_DIR/files`, which API and worker processes must share',
  defaultText: 'none',
  parse: (value) => {
    if (value === undefined) return null;
    const url = URL.canParse(value) ? new URL(value) : null;
    if (url?.protocol !== 's3:' || !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.hostname))
      throw new SettingsError('must start with s3:// and the name of a bucket');
    if (url.username !== '' || url.port !== '' || !['', '/'].includes(url.pathname) || url.hash !== '')
      throw new SettingsError('must be s3://bucket?region=...&endpoint=..., without anything else');
    const unknown = [...url.searchParams.keys()].find((each) => !PARAMETERS.includes(each));
    if (unknown !== undefined) throw new SettingsError(`has an unknown parameter ${unknown}`);
    const endpoint = url.searchParams.get('endpoint');
    if (endpoint !== null && !/^https?:\/\/[^/]/.test(endpoint))
      throw new SettingsError('needs an endpoint that starts with http:// or https://');
    return { name: url.hostname, region: url.searchParams.get('region') ?? 'us-east-1', endpoint };
  },
});

/** Where clamd listens. */
export type ClamdPlace = { path: string } | { host: string; port: number };

/** The scanner of files. */
export const scanner = (): Definition<ClamdPlace | null> => ({
  description:
    'Socket of clamd (ClamAV), `unix:/run/clamav/clamd.ctl` or `tcp://localhost:3310`, which scans each file before it can be read. Its `StreamMaxLength` must be at least `FILE_MAX_BYTES`. Without it, files are not scanned',
  defaultText: 'none',
  parse: (value) => {
    if (value === undefined) return null;
    if (/^unix:\/[^\0]+$/.test(value)) return { path: value.slice('unix:'.length) };
    const url = URL.canParse(value) ? new URL(value) : null;
    if (url?.protocol !== 'tcp:' || url.hostname === '' || url.port === '')
      throw new SettingsError('must be unix:/path/to/the/socket or tcp://host:port');
    return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(url.port) };
  },
});
