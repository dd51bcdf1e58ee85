/**
 * The file of a function, from the definition that PostgreSQL shows: keywords in lower case, and a body without
 * indentation.
 */
export function functionFile(definition: string): string {
  const [, head = '', body] = /^(.*?)(?:AS (\$\w*\$.*))?$/s.exec(definition.trimEnd())!;
  const header = head
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .join('\n  ')
    .replace('CREATE OR REPLACE FUNCTION', 'create or replace function')
    .replaceAll(/^ {2}(RETURNS (SETOF |TABLE)?|LANGUAGE|RETURN )/gm, (words) => words.toLowerCase())
    .replaceAll(/^ {2}(?:IMMUTABLE|STABLE|STRICT|PARALLEL|SECURITY).*$/gm, (words) => words.toLowerCase())
    .replaceAll(
      /^ {2}SET (\w+) TO '(.*)'$/gm,
      (_, name: string, value: string) => `  set ${name} = ${settingOf(value)}`,
    );
  if (body === undefined) return `${header};\n`;
  const [, text = ''] = /^\$\w*\$(.*)\$\w*\$$/s.exec(body)!;
  const lines = text.trimEnd().split('\n');
  while (lines[0]?.trim() === '') lines.shift();
  const indent = Math.min(...lines.filter((line) => line.trim()).map((line) => /^ */.exec(line)![0].length));
  return `${header}\nas $$\n${lines.map((line) => line.slice(indent).trimEnd()).join('\n')}\n$$;\n`;
}

function settingOf(value: string): string {
  return /^[a-z_]+$/.test(value) ? value : `'${value}'`;
}
