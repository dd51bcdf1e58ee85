const LIMIT_MS = 20_000;
const LOOK_MS = 10;

/** Waits until a condition holds and answers its value; fails when it does not within 20 s. */
export async function until<T>(condition: () => T | Promise<T>): Promise<NonNullable<T>> {
  const giveUpMs = Date.now() + LIMIT_MS;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > giveUpMs) throw new Error(`Not within ${LIMIT_MS} ms: ${condition.toString()}`);
    // eslint-disable-next-line no-restricted-syntax -- the one place that waits between two looks
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
