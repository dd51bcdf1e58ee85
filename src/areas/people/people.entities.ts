import type { EntityClass } from '#libs/database/data-source.js';
import { Department } from './departments/department.js';
import { Employee } from './employees/employee.js';
import { Employment } from './employees/employment.entity.js';
import { TimeOffPolicy } from './policies/time-off-policy.js';
import { TimeOff } from './time-off/time-off.js';

export const PEOPLE_ENTITIES: EntityClass[] = [Department, Employee, Employment, TimeOffPolicy, TimeOff];
