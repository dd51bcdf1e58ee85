/** The oldest Node that the processes run on, which the project brings along: a major version. */
export const OLDEST_NODE = 24;

/**
 * Ends a process with one line if its Node is too old. An entry calls this before it imports anything else: a module
 * that needs a newer Node fails when it is loaded, with a message that names no version.
 */
export function requireNode(version = process.versions.node): void {
  if (Number(version.split('.')[0]) >= OLDEST_NODE) return;
  process.stderr.write(
    `Node ${OLDEST_NODE} or newer is needed, this is ${version}; npm ci brings one along: node_modules/node/bin/node\n`,
  );
  process.exit(1);
}
