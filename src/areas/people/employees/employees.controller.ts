import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { Route } from '#libs/http/route.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { ResourceController } from '#libs/resource/routes/resource.controller.js';
import { employees } from './employee.js';
import { EmployeeSecrets } from './employee-secrets.js';
import { EmployeesService } from './employees.service.js';
import { EmploymentPage, EmploymentQuery, RevealedFields, RevealFields } from './employment.dto.js';
import { OrgChart, OrgChartQuery, OrgChartView } from './org-chart.js';

@Controller(pathOf(employees))
export class EmployeesController extends ResourceController(employees) {
  constructor(
    private readonly service: EmployeesService,
    private readonly secrets: EmployeeSecrets,
    private readonly chart: OrgChart,
  ) {
    super(service.records);
  }

  @Route({
    id: 'people.employees.org_chart',
    summary: 'Read the organization chart',
    permission: 'employees:read',
    object: employees.type,
    query: OrgChartQuery,
    answer: OrgChartView,
  })
  @Get('org-chart')
  readChart(@Query() query: OrgChartQuery) {
    return this.chart.read(query);
  }

  @Route({
    id: 'people.employees.employments',
    summary: 'List the employment history of an employee',
    description:
      'Newest first, including planned changes. Pay is only shown with the scope employees.compensation:read, ' +
      'which is recorded in the audit log.',
    permission: 'employees:read',
    object: employees.type,
    query: EmploymentQuery,
    answer: EmploymentPage,
    problems: ['not_found', 'cursor_invalid'],
  })
  @Get(':id/employments')
  listEmployments(@Param('id') id: string, @Query() query: Record<string, unknown>) {
    return this.service.listEmployments(id, query);
  }

  @Route({
    id: 'people.employees.reveal',
    summary: 'Show sensitive fields of an employee',
    description:
      'Answers with the values that are masked elsewhere. Each call is recorded in the audit log, with its reason.',
    permission: 'employees.sensitive:read',
    body: RevealFields,
    answer: RevealedFields,
    secretAnswer: true,
    problems: ['not_found'],
  })
  @Post(':id/reveal')
  reveal(@Param('id') id: string, @Body() input: RevealFields) {
    return this.secrets.reveal(id, input);
  }
}
