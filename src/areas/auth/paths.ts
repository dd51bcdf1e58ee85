const HOME = '/console';

/** A path on this host, or else the path of the console. Browsers treat `//host` and `/\host` as another host. */
export function pathOfOurs(text: string | undefined): string {
  if (text === undefined || !/^\/(?![/\\])[\x21-\x7e]*$/.test(text)) return HOME;
  const url = URL.parse(text, 'http://ours.invalid');
  return url?.host === 'ours.invalid' && !url.pathname.startsWith('//') ? url.pathname + url.search + url.hash : HOME;
}
