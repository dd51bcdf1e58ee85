const HOME = '/console';

/** A path on this server and nothing else, else that of the console: a browser takes `//host` and `/\host` for another one. */
export function pathOfOurs(text: string | undefined): string {
  if (text === undefined || !/^\/(?![/\\])[\x21-\x7e]*$/.test(text)) return HOME;
  const url = URL.parse(text, 'http://ours.invalid');
  return url?.host === 'ours.invalid' && !url.pathname.startsWith('//') ? url.pathname + url.search + url.hash : HOME;
}
