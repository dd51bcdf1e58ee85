/** What other areas need to write the records of lists as files. */
export type { ExportPlan } from './table/export-columns.js';
export { type ExportOrder, ExportTables } from './table/export-tables.js';
export type { ExportFormat } from './table/export-writer.js';
