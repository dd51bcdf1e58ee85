/** SQL that returns a row if a list of the current policy contains a key, which is a parameter of the statement. */
export function namedByPolicy(list: 'allowedProviders' | 'allowedModels', key: string): string {
  return `select 'the AI policy' as use from (
      select policy from data.ai_policies where tenant_id = $1 order by version desc limit 1) newest
    where newest.policy -> '${list}' ? ${key}::text`;
}
