import { Problem } from '#libs/kernel/problem.js';

const PER_UNIT = 1_000_000;

/**
 * An amount in micros that can also be given in units; null if neither is given. @throws Problem 400 `amount_mismatch`.
 */
export function microsOf({ costCapMicros, costCap }: { costCapMicros?: number; costCap?: number }): number | null {
  const units = costCap === undefined ? null : Math.round(costCap * PER_UNIT);
  if (costCapMicros !== undefined && units !== null && units !== costCapMicros)
    throw new Problem('amount_mismatch', 'costCapMicros and costCap do not agree.', {
      errors: [
        {
          pointer: '/costCap',
          code: 'amount_mismatch',
          detail: `${units} micros are not ${costCapMicros}.`,
        },
      ],
    });
  return costCapMicros ?? units;
}
