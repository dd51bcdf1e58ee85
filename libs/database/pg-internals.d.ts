/** Parts of `pg` that a flight needs and that its type declarations omit. Source: node-postgres 8.23, lib/. */
declare module 'pg/lib/utils.js' {
  const utils: { prepareValue(value: unknown): string | Buffer | null };
  export default utils;
}
