import { URN } from './urn.js';

/** The kind of a 400 or 409 error. `Source:` RFC 7644 table 9, RFC 9865 section 2.3. */
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

/** The body of an error response; `status` is a string, as required by RFC 7644 section 3.12. */
export interface ScimErrorBody {
  schemas: string[];
  status: string;
  scimType?: ScimType;
  detail: string;
}

/** A SCIM error. `detail` is written for the administrator of the identity provider. */
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
