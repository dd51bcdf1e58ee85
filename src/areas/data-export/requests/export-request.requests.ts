import { command } from '#libs/http/command.js';
import { checkWhole, type Fault, Field, fieldsOf, flag, instant, oneOf, text } from '#libs/http/field.js';
import { model } from '#libs/resource/types/record.dto.js';
import { type DataExportRequest, exportRequests, hours, reason } from './export-request.js';
import { EXPORT_ACTIONS, type ExportAction, requestLife } from './export-request.lifecycle.js';

/** What each kind of export names. */
const NAMED: Record<string, readonly string[]> = { area: ['areas'], subject: ['subject'] };

export const NewExportRequest = model('NewDataExportRequest', Object.fromEntries(fieldsOf(exportRequests.create)));
checkWhole(NewExportRequest, (body) => {
  const { kind } = body as { kind?: string };
  const needed = NAMED[kind ?? ''] ?? [];
  const given = (member: string) => ((body as Record<string, unknown>)[member] ?? null) !== null;
  const all = [...new Set(Object.values(NAMED).flat())];
  return all.flatMap((member): Fault[] => {
    if (needed.includes(member) === given(member)) return [];
    return needed.includes(member)
      ? [{ at: `/${member}`, code: 'required', detail: `Required for the kind ${kind}.` }]
      : [{ at: `/${member}`, code: 'not_with_kind', detail: `Not with the kind ${kind}.` }];
  });
});
export type NewExportRequest = Pick<DataExportRequest, 'kind'> &
  Partial<Pick<DataExportRequest, 'areas' | 'subject' | 'format' | 'includeFiles' | 'includeDeleted' | 'reason'>>;

export class ChangeExportRequest {
  @Field(oneOf(EXPORT_ACTIONS), {
    description:
      '`approve` lets a waiting export be made. `retry` makes a failed one again. `extend` keeps the archive for so many hours from now. `revoke_download` removes it.',
    example: 'approve',
  })
  action!: ExportAction;

  @Field(reason(), { description: 'Why; required for `reject`.', example: 'Agreed with legal', optional: true })
  reason?: string;

  @Field(flag(), {
    description: 'With `approve`: whether restricted fields are included, such as pay. Only owners can.',
    example: false,
    optional: true,
  })
  full?: boolean;

  @Field(hours(), {
    description:
      'For how long the archive is kept: with `approve` from when it is ready (168 by default), with `extend` from now.',
    example: 24,
    optional: true,
  })
  expiresInHours?: number;
}

export const changeExportRequest = command(ChangeExportRequest, requestLife.transitions, { by: 'action' });

/** A link that opens an archive. */
export class ArchiveLink {
  @Field(text({ max: 2_000 }), {
    description: 'Opens the archive one time, without a credential.',
    example: 'https://platform.example/api/files/AbCd',
  })
  url!: string;

  @Field(instant(), { description: 'Time until which it does.', example: '2026-11-21T09:30:02.114Z' })
  expiresAt!: string;
}
