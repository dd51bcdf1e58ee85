import { Field, id, text } from '#libs/http/field.js';
import { mergePatchOf, RecordInput, RecordView } from '#libs/resource/record.dto.js';

export class CreateDepartment extends RecordInput {
  @Field(id(), { description: 'Department that it is part of.', optional: true, nullable: true })
  parentId!: string | null;

  @Field(id(), { description: 'Employee who leads it.', optional: true, nullable: true })
  leadEmployeeId!: string | null;

  @Field(text({ max: 60 }), { description: 'Cost center.', example: '4100', optional: true, nullable: true })
  costCenter!: string | null;
}

export const UpdateDepartment = mergePatchOf('UpdateDepartment', CreateDepartment);

export class DepartmentView extends RecordView {
  @Field(id(), { description: 'Department that it is part of.', nullable: true })
  parentId!: string | null;

  @Field(id(), { description: 'Employee who leads it.', nullable: true })
  leadEmployeeId!: string | null;

  @Field(text({ max: 60 }), { description: 'Cost center.', example: '4100', nullable: true })
  costCenter!: string | null;
}
