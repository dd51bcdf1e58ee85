import { nearest } from '#libs/kernel/near.js';

/** Names that other APIs use for the common list parameters, without case and separators. */
const ELSEWHERE: Record<string, readonly string[]> = {
  cursor: [
    ...['page', 'pageno', 'pagenumber', 'pageafter', 'pagecursor', 'pagetoken', 'offset', 'skip', 'start'],
    ...['startingafter', 'after', 'nextcursor', 'continuationtoken'],
  ],
  limit: ['perpage', 'pagesize', 'pagelimit', 'size', 'count', 'top', 'first', 'maxresults'],
  sort: ['order', 'orderby', 'ordering', 'sortby', 'sortorder'],
  q: ['query', 'search', 'keyword', 'keywords', 'term'],
  fields: ['select', 'columns', 'fieldset', 'attributes'],
  include: ['expand', 'embed', 'populate', 'with'],
};
const BY_NAME = new Map(Object.entries(ELSEWHERE).flatMap(([known, names]) => names.map((name) => [name, known])));

/** A suggestion to append to a refusal: the name that was probably meant; empty if none is similar. */
export function didYouMean(word: string, names: Iterable<string>): string {
  const name = nearest(word, names);
  return name === null ? '' : ` Did you mean \`${name}\`?`;
}

/** Like {@link didYouMean} for a query parameter. Also recognizes names from other APIs and unknown operators. */
export function whichParameter(parameter: string, names: ReadonlySet<string>): string {
  const known = BY_NAME.get(parameter.toLowerCase().replace(/[^a-z]/g, ''));
  if (known !== undefined && names.has(known))
    return known === 'cursor'
      ? ' Pages are by `cursor`: send the `nextCursor` of the page before.'
      : ` Did you mean \`${known}\`?`;
  const [field] = parameter.split('[', 1);
  return names.has(field!) ? ` Did you mean \`${field}\`?` : didYouMean(parameter, names) || didYouMean(field!, names);
}
