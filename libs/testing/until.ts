const LIMIT_MS = 60_000;
const LOOK_MS = 10;

/** Waits until a condition holds and returns its value. @throws Error when it does not hold within `limitMs` */
export async function until<T>(condition: () => T | Promise<T>, limitMs = LIMIT_MS): Promise<NonNullable<T>> {
  const giveUpMs = Date.now() + limitMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > giveUpMs) throw new Error(`Not within ${limitMs} ms: ${condition.toString()}`);
    // eslint-disable-next-line no-restricted-syntax -- the one pause between two looks at a condition
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
