/** Parts of `pg` that its type declarations leave out and that one flight needs. Source: node-postgres 8.23, lib/. */
declare module 'pg/lib/utils.js' {
  const utils: { prepareValue(value: unknown): string | Buffer | null };
  export default utils;
}
