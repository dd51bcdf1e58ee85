/** What other areas may use besides the services. */
export { invoices, type ShownInvoice } from './invoices/invoice.js';
