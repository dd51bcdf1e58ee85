import type { EntityClass } from '#libs/database/data-source.js';
import { MaintenanceWindow } from './maintenance-windows/maintenance-window.js';

export const OPS_COMMAND_ENTITIES: EntityClass[] = [MaintenanceWindow];
