/**
 * SQL of the membership of the nearest manager who has an active one.
 * @param employee SQL of the id of the employee; `$1` is the tenant
 */
export const activeManagerOf = (employee: string): string => `
  with recursive above (id, place) as (
    select e.manager_id, 1 from data.people_employees e where e.tenant_id = $1 and e.id = ${employee}
    union all select e.manager_id, above.place + 1 from above
      join data.people_employees e on e.tenant_id = $1 and e.id = above.id)
  select m.id from above
    join data.people_employees e on e.tenant_id = $1 and e.id = above.id and e.deleted_at is null
    join data.memberships m on m.tenant_id = $1 and m.id = e.membership_id and m.status = 'active' and m.deleted_at is null
  order by above.place limit 1`;
