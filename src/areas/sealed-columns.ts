import { CONTENT_KEY } from '#libs/files/file-contents.js';
import { STORED_RESPONSES } from '#libs/http/idempotency/idempotency.interceptor.js';
import { MAIL_CONTENT } from '#libs/mail/mail-outbox.js';
import type { SealedColumn } from '#libs/sealing/sealed-column.js';
import { ENDPOINT_SEALED_COLUMNS } from '#libs/webhooks/lanes/endpoint-secrets.js';
import { SECRET_VALUES } from '#src/areas/vault/secrets/secret-values.service.js';
import { JOB_SEALED_COLUMNS } from './ai/jobs/job-contexts.js';
import { CALL_ANSWER, CALL_RESULTS } from './ai/runs/call.js';
import { EMPLOYEE_SEALED_COLUMNS } from './people/employees/employee-secrets.js';

/** All columns with sealed values. A data key is removed once none of them contains a value that needs it. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  STORED_RESPONSES,
  MAIL_CONTENT,
  CONTENT_KEY,
  SECRET_VALUES,
  ...ENDPOINT_SEALED_COLUMNS,
  ...JOB_SEALED_COLUMNS,
  CALL_ANSWER,
  CALL_RESULTS,
  ...EMPLOYEE_SEALED_COLUMNS,
];
