import { Module } from '@nestjs/common';
import { DepartmentsController } from './departments/departments.controller.js';
import { EmployeesController } from './employees/employees.controller.js';
import { PeopleRecordsModule } from './people-records.module.js';
import { PoliciesController } from './policies/policies.controller.js';
import { TimeOffController } from './time-off/time-off.controller.js';

/** Employees, departments and time off. */
@Module({
  imports: [PeopleRecordsModule],
  controllers: [DepartmentsController, EmployeesController, PoliciesController, TimeOffController],
})
export class PeopleModule {}
