import type { Room } from '../../area.js';
import { departments } from './department.js';
import { DepartmentsService } from './departments.service.js';

export const departmentsRoom: Room = { type: departments, service: DepartmentsService };
