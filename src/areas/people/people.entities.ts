import type { EntityClass } from '#libs/database/data-source.js';
import { Department } from './departments/department.js';
import { Employee } from './employees/employee.entity.js';
import { Employment } from './employees/employment.entity.js';
import { Policy } from './policies/policy.entity.js';
import { TimeOff } from './time-off/time-off.entity.js';

export const PEOPLE_ENTITIES: EntityClass[] = [Department, Employee, Employment, Policy, TimeOff];
