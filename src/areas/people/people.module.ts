import { Module } from '@nestjs/common';
import { controllerOf } from '#libs/resource/routes/controller-of.js';
import { contributesSample } from '#libs/resource/sample/sample-data.js';
import { departments } from './departments/department.js';
import { DepartmentsService } from './departments/departments.service.js';
import { EmployeesController } from './employees/employees.controller.js';
import { PeopleRecordsModule } from './people-records.module.js';
import { peopleSample } from './people.sample.js';
import { TimeOffPoliciesService } from './policies/policies.service.js';
import { timeOffPolicies } from './policies/time-off-policy.js';
import { TimeOffController } from './time-off/time-off.controller.js';

/** Employees, departments and time off. */
@Module({
  imports: [PeopleRecordsModule],
  providers: [contributesSample('people', peopleSample)],
  controllers: [
    controllerOf(departments, DepartmentsService),
    EmployeesController,
    controllerOf(timeOffPolicies, TimeOffPoliciesService),
    TimeOffController,
  ],
})
export class PeopleModule {}
