/** Accounts that can be charged: neither in the trash nor merged. */
export const LIVE_ACCOUNT = { table: 'data.sales_accounts', where: 'deleted_at is null and merged_into_id is null' };

/** Days for which issued documents and settled payments must be kept. */
export const RETAINED_DAYS = 2_555;

export const INVOICE = { table: 'data.finance_invoices' };
