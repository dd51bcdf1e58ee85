/** One item: in quotes, with `""` for a quote, or without a comma and a quote at its start. */
const ITEM = /(?:"((?:[^"]|"")*)"|((?!")[^,]*))(,|$)/y;

/**
 * The items of a list that is written with commas. An item with a comma is written in quotes, as in CSV. Null if a quote
 * opens an item and does not close it.
 */
export function itemsOf(text: string): string[] | null {
  const items: string[] = [];
  ITEM.lastIndex = 0;
  for (let more = true; more;) {
    const found = ITEM.exec(text);
    if (!found) return null;
    const [, quoted, plain = '', comma] = found;
    items.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    more = comma === ',';
  }
  return items;
}

/** A list written with commas. */
export function listText(items: readonly string[]): string {
  return items.map((item) => (/^"|,/.test(item) ? `"${item.replaceAll('"', '""')}"` : item)).join(',');
}
