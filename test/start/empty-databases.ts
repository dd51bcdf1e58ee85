import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { rolesOf } from '#libs/database/roles.js';

const SERVER = process.env['TEST_ADMIN_URL']!;

/** Rows of one statement, run by a superuser. */
export async function rowsOf(url: string, text: string): Promise<object[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<object>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Runs `work` with the URLs of two empty databases; drops them afterwards, with the roles that migrating them makes. */
export async function withEmptyDatabases(work: (first: string, second: string) => Promise<void>): Promise<void> {
  const names = ['first', 'second'].map((name) => `${name}_${randomBytes(6).toString('hex')}`);
  const [first, second] = names.map((name) => Object.assign(new URL(SERVER), { pathname: `/${name}` }).href);
  for (const name of names) await rowsOf(SERVER, `create database ${name}`);
  try {
    await work(first!, second!);
  } finally {
    for (const name of names) {
      await rowsOf(SERVER, `drop database ${name} with (force)`);
      for (const role of Object.values(rolesOf(name))) await rowsOf(SERVER, `drop role if exists ${role}`);
    }
  }
}
