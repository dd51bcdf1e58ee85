const LIMIT_MS = 20_000;
const LOOK_MS = 10;

/** Waits for as long as a condition takes to hold. @throws Error when it does not within 20 s */
export async function until(condition: () => unknown): Promise<void> {
  const deadline = Date.now() + LIMIT_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Not within ${LIMIT_MS} ms: ${condition.toString()}`);
    // eslint-disable-next-line no-restricted-syntax -- the pause between two looks at the condition
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
