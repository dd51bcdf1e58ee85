import type { EntityClass } from '#libs/database/data-source.js';
import { DataExportRequest } from './requests/export-request.js';

export const DATA_EXPORT_ENTITIES: EntityClass[] = [DataExportRequest];
