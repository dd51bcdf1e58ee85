import { Injectable } from '@nestjs/common';
import { Problem } from '#libs/kernel/problem.js';
import { canonical } from '#libs/resource/custom-field-values.js';
import type { Draft } from '#libs/resource/record.entity.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { ResourceService } from '#libs/resource/resource.service.js';
import type { CreateCustomField, CustomFieldView } from './custom-field.dto.js';
import type { CustomField } from './custom-field.entity.js';
import { type CustomFieldAction, customFieldResource } from './custom-field.resource.js';
import { CustomFieldsRepository } from './custom-fields.repository.js';
import { type Defined, definitionViolations } from './definition-rules.js';

type Input = Record<string, unknown>;

/** Definitions of the tenant's own fields. Records are held against them by the resource kit. */
@Injectable()
export class CustomFieldsService extends ResourceService<CustomField, CustomFieldView, CustomFieldAction> {
  protected override readonly constraints = {
    settings_custom_fields_limit: () => new Problem('limit_reached', 'A type has at most 100 custom fields.'),
  };

  constructor(kit: ResourceKit, repository: CustomFieldsRepository) {
    super(customFieldResource, kit, repository);
  }

  protected override async draft(body: Input): Promise<Draft<CustomField>> {
    const { label, ...input } = body as unknown as CreateCustomField; // validated against it
    const empty = {
      required: false,
      options: [],
      min: null,
      max: null,
      pattern: null,
      target: null,
      defaultValue: null,
    };
    return { name: label, ...this.checked({ ...empty, ...input }) };
  }

  protected override edit(row: CustomField, { label, ...patch }: Input): Partial<CustomField> {
    const { defaultValue } = this.checked({ ...row, ...patch });
    return {
      ...(label === undefined ? {} : { name: label as string }),
      ...(patch as Partial<CustomField>),
      ...('defaultValue' in patch ? { defaultValue } : {}),
    };
  }

  protected override derive({ name }: CustomField): Partial<CustomFieldView> {
    return { label: name };
  }

  /** @throws Problem 400 with everything that is wrong. */
  private checked<T extends Defined>(defined: T): T {
    const violations = definitionViolations(defined, this.kit.registry);
    if (violations.length > 0) throw Problem.validation(violations);
    const { fieldType, defaultValue } = defined;
    return { ...defined, defaultValue: defaultValue === null ? null : canonical(fieldType, defaultValue) };
  }
}
