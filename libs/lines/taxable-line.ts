/** The tax of a line. Lines with the same rate, name and percentage are taxed together. `percent` is a percentage. */
export interface LineTax {
  taxRateId: string | null;
  name: string | null;
  percent: number;
}

/** Input for a line's calculation. `tax` is null for a line without tax. */
export interface TaxableLine {
  description: string;
  quantity: number;
  unitPriceMinor: number;
  discountPercent: number;
  tax: LineTax | null;
}
