import { complex, reference, type Schema, text } from './attribute.js';
import { URN } from './urn.js';

/** `Source:` RFC 7643 section 8.7.1. */
export const GROUP_SCHEMA: Schema = {
  id: URN.group,
  name: 'Group',
  description: 'Group',
  attributes: [
    text('displayName', 'A human-readable name for the Group. REQUIRED.', { required: true, uniqueness: 'server' }),
    complex('members', 'A list of members of the Group.', {
      multiValued: true,
      subAttributes: [
        text('value', 'Identifier of the member of this Group.', { mutability: 'immutable', caseExact: true }),
        reference('$ref', 'The URI corresponding to a SCIM resource that is a member of this Group.', {
          mutability: 'immutable',
          referenceTypes: ['User'],
        }),
        text('display', 'A human-readable name for the member, primarily used for display purposes. READ-ONLY.', {
          mutability: 'readOnly',
        }),
        text('type', "A label indicating the type of resource, e.g., 'User' or 'Group'.", {
          mutability: 'immutable',
          canonicalValues: ['User'],
        }),
      ],
    }),
  ],
};

/** `Source:` RFC 7643 section 8.7.1. */
export const ENTERPRISE_SCHEMA: Schema = {
  id: URN.enterprise,
  name: 'EnterpriseUser',
  description: 'Enterprise User',
  attributes: [
    text(
      'employeeNumber',
      'Numeric or alphanumeric identifier assigned to a person, typically based on order of hire or association with ' +
        'an organization.',
    ),
    text('costCenter', 'Identifies the name of a cost center.'),
    text('organization', 'Identifies the name of an organization.'),
    text('division', 'Identifies the name of a division.'),
    text('department', 'Identifies the name of a department.'),
    complex(
      'manager',
      "The User's manager. A complex type that optionally allows service providers to represent organizational " +
        "hierarchy by referencing the 'id' attribute of another User.",
      {
        subAttributes: [
          text('value', "The id of the SCIM resource representing the User's manager.", { caseExact: true }),
          reference('$ref', "The URI of the SCIM resource representing the User's manager.", {
            referenceTypes: ['User'],
          }),
          text('displayName', "The displayName of the User's manager. OPTIONAL and READ-ONLY.", {
            mutability: 'readOnly',
          }),
        ],
      },
    ),
  ],
};
