import { Module } from '@nestjs/common';
import { ChecklistsModule } from '#libs/checklists/checklists.module.js';
import { declaresMetrics } from '#libs/measures/metric-catalogue.js';
import { NotificationsModule } from '#libs/notifications/notifications.module.js';
import { InvitationsRecordsModule } from '#src/areas/access/invitations/invitations-records.module.js';
import { CalendarsRecordsModule } from '#src/areas/settings/calendars/calendars-records.module.js';
import { ChecklistTemplatesRecordsModule } from '#src/areas/settings/checklist-templates/checklist-templates-records.module.js';
import { WorkRecordsModule } from '#src/areas/work/work-records.module.js';
import { DepartmentsService } from './departments/departments.service.js';
import { Departures } from './employees/departures.js';
import { EmployeeChecklists } from './employees/employee-checklists.js';
import { EmployeeInvitations } from './employees/employee-invitations.js';
import { EmployeeNotices } from './employees/employee-notices.js';
import { EmployeeSecrets } from './employees/employee-secrets.js';
import { EmployeeTimers } from './employees/employee-timers.js';
import { EmployeeViewers } from './employees/employee-viewers.js';
import { EmployeesRepository } from './employees/employees.repository.js';
import { EmployeesService } from './employees/employees.service.js';
import { EmploymentChanges } from './employees/employment-changes.js';
import { EmploymentHistory } from './employees/employment-history.js';
import { EmploymentsRepository } from './employees/employments.repository.js';
import { Handover } from './employees/handover.js';
import { LeaveCover } from './employees/leave-cover.js';
import { MemberAccess } from './employees/member-access.js';
import { OffboardingFlow } from './employees/offboarding.flow.js';
import { OrgChart } from './employees/org-chart.js';
import { PeopleTime } from './people-time.js';
import { TimeOffPoliciesService } from './policies/policies.service.js';
import { Balances } from './time-off/balances.js';
import { TimeOffFlow } from './time-off/time-off.flow.js';
import { TimeOffLedgerRepository } from './time-off/time-off-ledger.repository.js';
import { TimeOffRepository } from './time-off/time-off.repository.js';
import { TimeOffService } from './time-off/time-off.service.js';
import { TimeOffTimers } from './time-off/time-off-timers.js';
import { WorkCalendar } from './work-calendar.js';
import { PEOPLE_METRICS } from './people.metrics.js';

/** Employees, departments and time off without routes, for the worker and other areas. */
@Module({
  imports: [
    CalendarsRecordsModule,
    ChecklistTemplatesRecordsModule,
    ChecklistsModule,
    InvitationsRecordsModule,
    NotificationsModule,
    WorkRecordsModule,
  ],
  providers: [
    declaresMetrics(PEOPLE_METRICS),
    Balances,
    DepartmentsService,
    Departures,
    EmployeeChecklists,
    EmployeeInvitations,
    EmployeeNotices,
    EmployeeSecrets,
    EmployeeTimers,
    EmployeeViewers,
    EmployeesRepository,
    EmployeesService,
    EmploymentChanges,
    EmploymentHistory,
    EmploymentsRepository,
    Handover,
    LeaveCover,
    TimeOffLedgerRepository,
    MemberAccess,
    OffboardingFlow,
    OrgChart,
    PeopleTime,
    TimeOffPoliciesService,
    TimeOffFlow,
    TimeOffRepository,
    TimeOffService,
    TimeOffTimers,
    WorkCalendar,
  ],
  exports: [
    Balances,
    DepartmentsService,
    EmployeeSecrets,
    EmployeesService,
    OrgChart,
    TimeOffPoliciesService,
    TimeOffService,
  ],
})
export class PeopleRecordsModule {}
