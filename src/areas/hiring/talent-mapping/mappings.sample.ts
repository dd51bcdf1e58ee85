import type { SampleStory } from '#libs/resource/sample/sample-story.js';
import type { MappingValues } from './mapping-values.js';

/** The mapping of the hired candidate, ready to be applied, and the template that it follows. */
export function mappingsSample(story: SampleStory): void {
  const [createdAt, hiredAt] = [story.at(100), story.get<string>('candidate 0', 'hiredAt')];
  const templateId = story.object('mapping template', 'data.talent_mapping_templates', {
    ...{ version: 1, name: 'Employees of the Berlin office', isDefault: false, match: {} },
    defaults: { departmentId: story.id('department delivery'), workEmail: '{{firstName}}.{{lastName}}@staff.example' },
    fieldMap: [{ from: 'candidate.phones', to: 'employee.phone', transform: 'first' }],
    ...{ onboardingTemplateId: story.id('checklist template onboarding'), createMembership: false, copyPay: false },
    ...{ inviteDaysBeforeStart: null, createdAt, updatedAt: createdAt },
  });
  const startDate = story.get<string>('candidate 0', 'startDate');
  const values: MappingValues = {
    ...{ startDate, jobTitle: story.get<string>('candidate 0', 'jobTitle'), managerId: story.id('employee 2') },
    ...{ departmentId: story.id('department delivery'), employmentType: 'full_time', roleIds: [], workspaceIds: [] },
    workEmail: 'maren.holt@staff.example',
  };
  story.object('mapping', 'data.talent_mappings', {
    ...{ version: 1, candidateId: story.id('candidate 0'), applicationId: story.id('application 0'), templateId },
    ...{ status: 'ready', values, startDate, missing: [], steps: [], employeeId: null, invitationId: null },
    ...{ appliedBy: null, invitee: null, promise: null, createdAt: hiredAt, updatedAt: hiredAt },
  });
}
