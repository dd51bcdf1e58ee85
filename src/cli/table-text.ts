/** Rows as lines of text with aligned columns under a heading. Control characters become spaces. */
export function tableOf(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heading, ...rows].map((row) => row.map((cell) => cell.replace(/\p{Cc}/gu, ' ')));
  const widths = heading.map((_, column) => Math.max(...lines.map((row) => row[column]!.length)));
  return lines
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
