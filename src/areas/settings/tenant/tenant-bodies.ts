import { Field, name } from '#libs/http/field.js';
import { reason } from '#libs/tenants/tenant.dto.js';

export class RenameTenant {
  @Field(name(), { description: 'Name that people see.', example: 'Acme International', optional: true })
  name?: string;
}

export class CloseTenant {
  @Field(reason(), { description: 'Why, for the audit log.', example: 'We have merged with Globex.' })
  reason!: string;
}
