// Talent mappings as a part of the scenario `handovers`.
import { inParallel, measuresOf, send } from './handovers.mjs';

const MAPPINGS = '/api/admin/talent-mapping';
const CANDIDATES = '/api/v1/talent/candidates';
const DAY_MS = 86_400_000;

/** A mapping whose row and effects disagree: a step is committed without its effect, or an effect without its step. */
const HALF_DONE = `
  select count(*)::int as count from data.talent_mappings m
    join data.talent_candidates c on c.tenant_id = m.tenant_id and c.id = m.candidate_id
  where m.tenant_id = $1 and (
    (m.employee_id is not null) <> exists (select from data.people_employees e
      where e.tenant_id = m.tenant_id and e.mapping_id = m.id)
    or m.employee_id is distinct from c.employee_id
    or (m.invitation_id is not null) <> exists (select from data.invitations i
      where i.tenant_id = m.tenant_id and i.employee_id = m.employee_id)
    or (m.status = 'applied') <> exists (select from data.events v
      where v.tenant_id = m.tenant_id and v.subject_id = m.id::text and v.type = 'talent.mapping.applied'))`;
/** The effects of a mapping, each with the number that must be there. */
const EFFECTS = `
  select m.id, (select count(*) from data.people_employees e where e.tenant_id = $1 and e.mapping_id = m.id)::int - 1 as employees,
    (select count(*) from data.people_employments e where e.tenant_id = $1 and e.employee_id = m.employee_id)::int - 1 as employments,
    (select count(*) from data.checklists k where k.tenant_id = $1 and k.subject_id = m.employee_id)::int - 1 as checklists,
    (select count(*) from data.invitations i where i.tenant_id = $1 and i.employee_id = m.employee_id)::int - 1 as invitations,
    (select count(*) from data.events v where v.tenant_id = $1 and v.subject_id = m.id::text
      and v.type = 'talent.mapping.applied')::int - 1 as completions
  from data.talent_mappings m where m.tenant_id = $1`;

/** Mappings of hired candidates. */
export const mappingKind = {
  name: 'mappings',
  ...measuresOf({
    table: 'data.talent_mappings',
    noun: 'mapping',
    running: ['applying'],
    halfDone: HALF_DONE,
    effects: EFFECTS,
  }),

  /** Creates mappings that are ready, with a checklist and an invitation that is due. Returns their ids. */
  async prepare(_site, api, tenant, count) {
    await send(api, tenant, 'PATCH', '/api/admin/settings', { talent: { autoApply: false } });
    const checklist = await send(api, tenant, 'POST', '/api/settings/checklist-templates', {
      name: 'Welcome',
      appliesTo: 'onboarding',
      checklistItems: [{ key: 'desk', title: 'Desk' }],
    });
    await send(api, tenant, 'POST', MAPPINGS, {
      type: 'template',
      name: 'Everybody',
      isDefault: true,
      createMembership: true,
      onboardingTemplateId: checklist.id,
    });
    const startDate = new Date(Date.now() + 10 * DAY_MS).toISOString().slice(0, 10);
    return inParallel([...Array(count).keys()], async (i) => {
      const body = { name: `Ada Lovelace ${i}`, email: `ada${i}@acme.example` };
      const { id: candidateId } = await send(api, tenant, 'POST', CANDIDATES, body);
      await send(api, tenant, 'POST', `${CANDIDATES}/${candidateId}/hire`, { startDate, force: true });
      return (await send(api, tenant, 'POST', MAPPINGS, { candidateId })).id;
    });
  },

  start: (api, tenant, ids) => inParallel(ids, (id) => send(api, tenant, 'PATCH', MAPPINGS, { id, action: 'apply' })),
};
