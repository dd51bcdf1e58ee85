import { URN } from './urn.js';

/** What kind of 400 or 409 it is. `Source:` RFC 7644 table 9, RFC 9865 section 2.3. */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'
  | 'invalidVers'
  | 'sensitive'
  | 'invalidCursor'
  | 'expiredCursor'
  | 'invalidCount';

/** The body of an answer that says what failed; `status` is text, as RFC 7644 section 3.12 wants it. */
export interface ScimErrorBody {
  schemas: string[];
  status: string;
  scimType?: ScimType;
  detail: string;
}

/** A failure in the words of SCIM. `detail` is read by the administrator at the identity provider. */
export class ScimError extends Error {
  constructor(
    readonly status: number,
    readonly detail: string,
    readonly scimType?: ScimType,
  ) {
    super(detail);
  }

  body(): ScimErrorBody {
    return {
      schemas: [URN.error],
      status: String(this.status),
      ...(this.scimType && { scimType: this.scimType }),
      detail: this.detail,
    };
  }
}

const bad =
  (scimType: ScimType) =>
  (detail: string): ScimError =>
    new ScimError(400, detail, scimType);

export const invalidFilter = bad('invalidFilter');
export const invalidPath = bad('invalidPath');
export const invalidValue = bad('invalidValue');
export const invalidSyntax = bad('invalidSyntax');
export const mutability = bad('mutability');
export const noTarget = bad('noTarget');
export const tooMany = bad('tooMany');
export const uniqueness = (detail: string): ScimError => new ScimError(409, detail, 'uniqueness');
